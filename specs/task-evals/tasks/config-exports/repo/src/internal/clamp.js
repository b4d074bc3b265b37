export const clamp = (value) => Math.min(255, Math.max(0, value));

export const red = [255, 0, 0];
export const teal = [0, 128, 128];

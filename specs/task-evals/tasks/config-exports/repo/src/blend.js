import { clamp } from "./internal/clamp.js";

/** Blends two colours: 0 is the first, 1 the second. */
export function blend(one, other, share) {
  return one.map((value, i) => clamp(Math.round(value + (other[i] - value) * share)));
}

import * as named from "./named.js";

/** Reads a colour: a name, or #rrggbb. */
export function parseColor(text) {
  if (Object.hasOwn(named, text)) return named[text];
  return [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
}

export { blend } from "./blend.js";
export { parseColor } from "./colors/parse.js";

import { greet } from "./greet.js";

declare const console: { log(text: string): void };

console.log(greet("world"));

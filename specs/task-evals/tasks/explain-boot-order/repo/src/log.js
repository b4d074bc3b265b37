/** Prints the name of a step of the start. */
export function step(name) {
  console.log(name);
}

import { step } from "./log.js";

step("driver");

export async function connect() {
  step("dial");
  await null;
  step("greet");
  await new Promise((done) => setImmediate(done));
  step("session");
}

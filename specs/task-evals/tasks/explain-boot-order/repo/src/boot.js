import { connect } from "./connect.js";
import { step } from "./log.js";

setTimeout(() => step("warm"), 0);
const connected = connect();
process.nextTick(() => step("audit"));
queueMicrotask(() => step("plugins"));
step("config");
await connected;
step("ready");

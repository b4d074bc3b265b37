import type { OrderEvent } from "../src/events.js";
import type { State } from "../src/state.js";

export const refund: OrderEvent = { kind: "refunded", order: 7, total: 20, reason: "broken" };
export const state: State = "refunded";
// @ts-expect-error a refund has a reason
export const silent: OrderEvent = { kind: "refunded", order: 7, total: 20 };
// @ts-expect-error no such event
export const other: OrderEvent = { kind: "lost", order: 7 };

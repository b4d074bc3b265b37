import type { OrderEvent } from "./events.js";

export type State = "open" | "paid" | "done";

/** Where an order stands after its events; undefined for an order that was never placed. */
export function stateOf(order: number, events: readonly OrderEvent[]): State | undefined {
  let state: State | undefined;
  for (const event of events) {
    if (event.order !== order) continue;
    if (event.kind === "placed") state = "open";
    else if (event.kind === "paid") state = "paid";
    else state = "done";
  }
  return state;
}

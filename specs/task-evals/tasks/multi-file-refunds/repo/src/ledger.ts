import type { OrderEvent } from "./events.js";

/** How much money we hold for each order that has paid something. */
export function balances(events: readonly OrderEvent[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const event of events) {
    if (event.kind === "paid") found.set(event.order, (found.get(event.order) ?? 0) + event.total);
  }
  return found;
}

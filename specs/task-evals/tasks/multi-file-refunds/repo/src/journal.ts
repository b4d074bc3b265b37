import type { OrderEvent } from "./events.js";

/** Says what happened, for the journal. */
export function describe(event: OrderEvent): string {
  switch (event.kind) {
    case "placed":
      return `order ${event.order} placed for ${event.total}`;
    case "paid":
      return `order ${event.order} paid with ${event.total}`;
    case "shipped":
      return `order ${event.order} shipped as ${event.parcel}`;
  }
}

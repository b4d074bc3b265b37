/** What can happen to an order. */
export type OrderEvent =
  | { kind: "placed"; order: number; total: number }
  | { kind: "paid"; order: number; total: number }
  | { kind: "shipped"; order: number; parcel: string };

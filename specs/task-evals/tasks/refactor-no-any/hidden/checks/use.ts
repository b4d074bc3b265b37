import { collect, groupBy, maxBy } from "../src/collections.js";
import type { Order } from "../src/orders.js";

const orders: Order[] = [{ customer: "a", total: 1 }];

// What goes in comes out.
const groups = Object.values(groupBy(orders, (order) => order.customer));
const totals: number[] = groups.flatMap((group) => (group ?? []).map((order) => order.total));
const best: Order | undefined = maxBy(orders, (order) => order.total);
const coupons: string[] = collect(orders, (order) => order.coupon);
const lengths: number[] = collect(["a", null], (text) => text?.length);
for (const group of Object.values(groupBy(["a", "bb"], (text) => text))) for (const text of group ?? []) text.toUpperCase();

// Mistakes are found.
// @ts-expect-error no such field
groupBy(orders, (order) => order.custumer);
// @ts-expect-error no such field
maxBy(orders, (order) => order.totl);
// @ts-expect-error no such field
collect(orders, (order) => order.cupon);
// @ts-expect-error there may be none
maxBy(orders, (order) => order.total).total;
// @ts-expect-error coupons are texts
const numbers: number[] = collect(orders, (order) => order.coupon);
// @ts-expect-error a group holds orders
const words: string[][] = Object.values(groupBy(orders, (order) => order.customer));
export { totals, best, coupons, lengths, numbers, words };

import { collect, groupBy, maxBy } from "./collections.js";

export interface Order {
  customer: string;
  total: number;
  coupon?: string;
}

/** What the best customer paid in all. */
export function bestCustomer(orders: readonly Order[]): { customer: string; total: number } | undefined {
  const groups = groupBy([...orders], (order: any) => order.customer);
  const sums = Object.keys(groups).map((customer: any) => ({
    customer,
    total: groups[customer].reduce((sum: any, order: any) => sum + order.total, 0),
  }));
  return maxBy(sums, (each: any) => each.total);
}

/** The coupons that were used, in order. */
export function coupons(orders: readonly Order[]): string[] {
  return collect([...orders], (order: any) => order.coupon);
}

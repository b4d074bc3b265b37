import { formatMoney } from "./money.js";

/** Gives one line on what all orders together are worth. */
export function summary(orders) {
  const total = orders.flatMap((order) => order.goods).reduce((sum, each) => sum + each.price, 0);
  return `${orders.length} orders, ${formatMoney(total)}`;
}

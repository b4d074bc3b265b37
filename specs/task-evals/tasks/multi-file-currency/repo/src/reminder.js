import { formatMoney } from "./money.js";

/** Gives the text of a reminder for an order of which `paid` cents were paid. */
export function reminder(order, paid) {
  const open = order.goods.reduce((sum, each) => sum + each.price, 0) - paid;
  if (open <= 0) return `Order ${order.number} is paid.`;
  return `Please pay ${formatMoney(open)} for order ${order.number}.`;
}

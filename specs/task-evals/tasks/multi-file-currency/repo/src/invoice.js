import { formatMoney } from "./money.js";

/**
 * Gives the lines of an invoice.
 *
 * @param {{number: number, goods: {name: string, price: number}[]}} order prices in cents
 */
export function invoiceLines(order) {
  const total = order.goods.reduce((sum, each) => sum + each.price, 0);
  return [...order.goods.map((each) => `${each.name}: ${formatMoney(each.price)}`), `Total: ${formatMoney(total)}`];
}

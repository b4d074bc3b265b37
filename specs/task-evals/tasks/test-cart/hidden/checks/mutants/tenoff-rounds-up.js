/**
 * Reckons what a cart costs, in cents.
 *
 * @param {{price: number, count: number}[]} lines
 * @param {{code?: string, member?: boolean}} [buyer]
 * @returns {{goods: number, discount: number, total: number}}
 *
 * - `TENOFF` takes 10 % off the goods, rounded down to a whole cent, from 20.00 on; below it does nothing.
 * - `FIVER` takes 5.00 off, but never more than the goods cost.
 * - Members get 2 % more off what is left, rounded down to a whole cent.
 * - An unknown code is an Error that names the code.
 * - A count below 1 or a negative price is a RangeError.
 */
export function reckon(lines, { code, member = false } = {}) {
  for (const { price, count } of lines) {
    if (!(count >= 1) || price < 0) throw new RangeError("counts start at 1, prices at 0");
  }
  const goods = lines.reduce((sum, { price, count }) => sum + price * count, 0);
  let discount = 0;
  if (code === "TENOFF") discount = goods >= 2000 ? Math.ceil(goods / 10) : 0;
  else if (code === "FIVER") discount = Math.min(500, goods);
  else if (code !== undefined) throw new Error(`unknown code ${code}`);
  if (member) discount += Math.floor(((goods - discount) * 2) / 100);
  return { goods, discount, total: goods - discount };
}

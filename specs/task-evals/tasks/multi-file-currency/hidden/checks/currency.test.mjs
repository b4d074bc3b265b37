import assert from "node:assert/strict";
import test from "node:test";
import { invoiceLines } from "../src/invoice.js";
import { reminder } from "../src/reminder.js";
import { summary } from "../src/summary.js";

const order = (currency, ...prices) => ({
  number: 7,
  ...(currency ? { currency } : {}),
  goods: prices.map((price, i) => ({ name: `thing ${i + 1}`, price })),
});

test("dollars are as before", () => {
  assert.deepEqual(invoiceLines(order(undefined, 1250, -50)), ["thing 1: $12.50", "thing 2: -$0.50", "Total: $12.00"]);
  assert.equal(reminder(order(undefined, 1250), 250), "Please pay $10.00 for order 7.");
  assert.equal(reminder(order("USD", 1250), 1250), "Order 7 is paid.");
  assert.equal(summary([order(undefined, 1250), order("USD", 50)]), "2 orders, $13.00");
  assert.equal(summary([]), "0 orders, $0.00");
});

test("euros", () => {
  assert.deepEqual(invoiceLines(order("EUR", 1250, -50)), ["thing 1: 12.50 €", "thing 2: -0.50 €", "Total: 12.00 €"]);
  assert.equal(reminder(order("EUR", 1250), 250), "Please pay 10.00 € for order 7.");
});

test("yen have no smaller unit", () => {
  assert.deepEqual(invoiceLines(order("JPY", 1250, -50)), ["thing 1: ¥1250", "thing 2: -¥50", "Total: ¥1200"]);
  assert.equal(reminder(order("JPY", 1250), 250), "Please pay ¥1000 for order 7.");
});

test("different currencies are never added up", () => {
  const orders = [order("USD", 1000), order("JPY", 300), order("EUR", 2000), order(undefined, 250)];
  assert.equal(summary(orders), "4 orders, 20.00 € + ¥300 + $12.50");
});

test("another currency is an error that names it", () => {
  for (const make of [invoiceLines, (o) => reminder(o, 0), (o) => summary([o])]) {
    assert.throws(() => make(order("XAU", 1)), /XAU/);
    assert.throws(() => make(order("constructor", 1)), /constructor/);
  }
});

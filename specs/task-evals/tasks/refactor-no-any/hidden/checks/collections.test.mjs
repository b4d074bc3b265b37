import assert from "node:assert/strict";
import test from "node:test";
import { collect, groupBy, maxBy } from "../build/src/collections.js";
import { bestCustomer, coupons } from "../build/src/orders.js";

test("groupBy", () => {
  const groups = groupBy(["ab", "b", "ac"], (text) => text[0]);
  assert.deepEqual(Object.entries(groups), [["a", ["ab", "ac"]], ["b", ["b"]]]);
});

test("maxBy", () => {
  assert.equal(maxBy([], (n) => n), undefined);
  assert.deepEqual(maxBy([{ n: 1 }, { n: 2, first: true }, { n: 2 }], (each) => each.n), { n: 2, first: true });
  assert.equal(maxBy([-3, -2], (n) => n), -2);
});

test("collect keeps what is false or 0", () => {
  assert.deepEqual(collect([0, 1, 2, 3, 4], (n) => [0, "", false, null, undefined][n]), [0, "", false]);
});

test("orders", () => {
  const orders = [
    { customer: "a", total: 3, coupon: "X" },
    { customer: "b", total: 4 },
    { customer: "a", total: 2, coupon: "" },
  ];
  assert.deepEqual(bestCustomer(orders), { customer: "a", total: 5 });
  assert.equal(bestCustomer([]), undefined);
  assert.deepEqual(coupons(orders), ["X", ""]);
});

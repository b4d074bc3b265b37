import assert from "node:assert/strict";
import test from "node:test";
import { describe } from "../build/src/journal.js";
import { balances } from "../build/src/ledger.js";
import { stateOf } from "../build/src/state.js";

const placed = { kind: "placed", order: 7, total: 30 };
const paid = { kind: "paid", order: 7, total: 30 };
const shipped = { kind: "shipped", order: 7, parcel: "P1" };
const back = (total, order = 7) => ({ kind: "refunded", order, total, reason: "broken" });

test("the journal", () => {
  assert.equal(describe(back(20)), "order 7 refunded with 20: broken");
  assert.equal(describe(shipped), "order 7 shipped as P1");
});

test("the ledger", () => {
  assert.deepEqual([...balances([placed, paid, back(20)])], [[7, 10]]);
  assert.deepEqual([...balances([placed, paid, back(20), back(10)])], [[7, 0]]);
  assert.deepEqual([...balances([placed])], []);
});

test("an order of which nothing is left is refunded", () => {
  assert.equal(stateOf(7, [placed, paid, back(30)]), "refunded");
  assert.equal(stateOf(7, [placed, paid, shipped, back(10), back(20)]), "refunded");
});

test("a part leaves the state as it was", () => {
  assert.equal(stateOf(7, [placed, paid, back(10)]), "paid");
  assert.equal(stateOf(7, [placed, paid, shipped, back(10)]), "done");
});

test("other orders do not matter", () => {
  assert.equal(stateOf(7, [placed, paid, back(30, 8)]), "paid");
  assert.equal(stateOf(7, [placed, paid, { kind: "paid", order: 8, total: 99 }, back(30)]), "refunded");
  assert.equal(stateOf(9, [placed]), undefined);
});

test("states without refunds are as before", () => {
  assert.deepEqual([stateOf(7, [placed]), stateOf(7, [placed, paid]), stateOf(7, [placed, paid, shipped])], ["open", "paid", "done"]);
});

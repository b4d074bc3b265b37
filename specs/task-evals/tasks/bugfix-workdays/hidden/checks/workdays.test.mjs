import assert from "node:assert/strict";
import test from "node:test";
import { countWorkdays } from "../build/workdays.js";

test("a week from Monday to Friday", () => assert.equal(countWorkdays("2026-03-02", "2026-03-06"), 5));
test("a weekend", () => assert.equal(countWorkdays("2026-03-07", "2026-03-08"), 0));
test("Friday to Monday", () => assert.equal(countWorkdays("2026-03-06", "2026-03-09"), 2));
test("one day", () => assert.equal(countWorkdays("2026-03-04", "2026-03-04"), 1));
test("backwards", () => assert.equal(countWorkdays("2026-03-06", "2026-03-02"), 0));
test("over the change of clocks in spring", () => assert.equal(countWorkdays("2026-03-02", "2026-04-30"), 44));
test("over the change of clocks in autumn", () => assert.equal(countWorkdays("2026-09-01", "2026-11-30"), 65));
test("holidays", () => assert.equal(countWorkdays("2026-12-21", "2026-12-31", ["2026-12-25", "2026-12-26"]), 8));

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";

const require = createRequire(import.meta.url);

test("the package itself", async () => {
  const { blend, parseColor } = await import("paintkit");
  assert.deepEqual(blend(parseColor("#000000"), parseColor("red"), 0.5), [128, 0, 0]);
});

test("colours", async () => {
  const { red, teal } = await import("paintkit/colors");
  assert.deepEqual([red, teal], [[255, 0, 0], [0, 128, 128]]);
});

test("every palette", () => {
  assert.deepEqual([require("paintkit/palettes/warm.json"), require("paintkit/palettes/cold.json")], [["red"], ["teal"]]);
});

test("the package's own description", () => assert.equal(require("paintkit/package.json").name, "paintkit"));

test("inner names", async () => assert.equal((await import("#internal/clamp")).clamp(300), 255));

test("what is inside stays closed", async () => {
  const closed = ["src/blend.js", "src/internal/clamp.js", "internal/clamp", "src/colors/named.js", "data/palettes/warm.json"];
  for (const path of closed) {
    await assert.rejects(import(`paintkit/${path}`), { code: "ERR_PACKAGE_PATH_NOT_EXPORTED" }, path);
  }
});

import assert from "node:assert/strict";
import test from "node:test";
import { fetchJson } from "../src/fetch-json.js";
import { priceOf } from "../src/prices.js";

/** A service that answers with each of these in turn: a status, an error, or a body. */
function service(...answers) {
  const asked = [];
  const slept = [];
  const get = async (url) => {
    asked.push(url);
    const next = answers[asked.length - 1];
    if (next instanceof Error) throw next;
    return typeof next === "number" ? { status: next, body: "" } : { status: 200, body: next };
  };
  const sleep = async (ms) => void slept.push(ms);
  return { asked, slept, options: { get, sleep } };
}

test("no repetition unless asked for", async () => {
  const { asked, options } = service(503, "1");
  await assert.rejects(fetchJson("/x", options), /\/x: status 503/);
  assert.equal(asked.length, 1);
  const down = service(new Error("refused"), "1");
  await assert.rejects(fetchJson("/x", down.options), /refused/);
});

test("asks again after 500 and above, and after a failed request", async () => {
  const { asked, slept, options } = service(500, new Error("refused"), 599, '{"price": 7}');
  assert.deepEqual(await fetchJson("/x", { ...options, retries: 3 }), { price: 7 });
  assert.deepEqual(asked, ["/x", "/x", "/x", "/x"]);
  assert.deepEqual(slept, [100, 200, 400]);
});

test("gives up with the last failure, and does not wait after it", async () => {
  const { asked, slept, options } = service(503, 502, 500, "1");
  await assert.rejects(fetchJson("/x", { ...options, retries: 2 }), /status 500/);
  assert.deepEqual([asked.length, slept], [3, [100, 200]]);
  const error = new Error("refused");
  const down = service(503, error);
  await assert.rejects(fetchJson("/x", { ...down.options, retries: 1 }), (thrown) => thrown === error);
});

test("never asks again after another status", async () => {
  for (const status of [400, 404, 429, 301, 204]) {
    const { asked, slept, options } = service(status, "1");
    await assert.rejects(fetchJson("/x", { ...options, retries: 5 }), new RegExp(`status ${status}`));
    assert.deepEqual([asked.length, slept], [1, []]);
  }
});

test("a body that is no JSON is an error at once", async () => {
  const { asked, options } = service("oops", "1");
  await assert.rejects(fetchJson("/x", { ...options, retries: 5 }), SyntaxError);
  assert.equal(asked.length, 1);
});

test("waits by itself when no sleep is given", async () => {
  const { options } = service(503, "5");
  const begun = Date.now();
  assert.equal(await fetchJson("/x", { get: options.get, retries: 1 }), 5);
  assert.ok(Date.now() - begun >= 95);
});

test("prices can use it", async () => {
  const { options } = service(503, '{"price": 7}');
  assert.equal(await priceOf("a b", { ...options, retries: 1 }), 7);
});

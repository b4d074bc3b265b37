import assert from "node:assert/strict";
import test from "node:test";
import { LruCache } from "../build/src/cache.js";

function cache(capacity, ttlMs) {
  const clock = { time: 1000 };
  return [new LruCache(capacity, { ttlMs, now: () => clock.time }), clock];
}

test("without expiry it is as before", () => {
  const plain = new LruCache(2);
  plain.set("a", 1);
  plain.set("b", undefined);
  assert.equal(plain.get("a"), 1);
  plain.set("c", 3);
  assert.deepEqual([plain.get("a"), plain.get("b"), plain.get("c"), plain.size], [1, undefined, 3, 2]);
  assert.throws(() => new LruCache(0), RangeError);
});

test("an entry is gone when it is ttlMs old", () => {
  const [it, clock] = cache(3, 100);
  it.set("a", 1);
  clock.time += 99;
  assert.deepEqual([it.get("a"), it.size], [1, 1]);
  clock.time += 1;
  assert.deepEqual([it.get("a"), it.size], [undefined, 0]);
});

test("size does not count expired entries that nobody asked for", () => {
  const [it, clock] = cache(3, 100);
  it.set("a", 1);
  clock.time += 50;
  it.set("b", 2);
  clock.time += 50;
  assert.equal(it.size, 1);
});

test("reading does not make it live longer, setting does", () => {
  const [it, clock] = cache(3, 100);
  it.set("a", 1);
  it.set("b", 1);
  clock.time += 60;
  it.get("a");
  it.set("b", 2);
  clock.time += 60;
  assert.deepEqual([it.get("a"), it.get("b")], [undefined, 2]);
});

test("reading makes it recently used", () => {
  const [it] = cache(2, 100);
  it.set("a", 1);
  it.set("b", 2);
  it.get("a");
  it.set("c", 3);
  assert.deepEqual([it.get("a"), it.get("b"), it.get("c")], [1, undefined, 3]);
});

test("an expired entry never pushes out one that is alive", () => {
  const [it, clock] = cache(2, 100);
  it.set("dying", 1);
  clock.time += 60;
  it.set("alive", 2);
  clock.time += 10;
  it.get("dying"); // recently used, and soon gone
  clock.time += 40;
  it.set("new", 3);
  assert.deepEqual([it.get("alive"), it.get("new"), it.get("dying")], [2, 3, undefined]);
});

test("ttlMs must be above 0", () => {
  for (const ttlMs of [0, -1, NaN]) assert.throws(() => new LruCache(2, { ttlMs }), RangeError);
});

import assert from "node:assert/strict";
import test from "node:test";
import { MemoryStorage } from "../src/storage.js";
import { Votes } from "../src/votes.js";

const many = (n, make) => Promise.all(Array.from({ length: n }, (_, i) => make(i)));

test("votes at the same time all count, each with its own number", async () => {
  const votes = new Votes(new MemoryStorage());
  const numbers = await many(40, () => votes.add("yes"));
  assert.equal(await votes.count("yes"), 40);
  assert.deepEqual([...numbers].sort((a, b) => a - b), Array.from({ length: 40 }, (_, i) => i + 1));
});

test("votes one after the other", async () => {
  const votes = new Votes(new MemoryStorage());
  assert.deepEqual([await votes.add("a"), await votes.add("a"), await votes.add("b")], [1, 2, 1]);
  assert.equal(await votes.count("c"), 0);
});

test("what others wrote into the storage counts", async () => {
  const storage = new MemoryStorage();
  const votes = new Votes(storage);
  await votes.add("a");
  await storage.write("a", 10);
  assert.equal(await votes.add("a"), 11);
});

test("answers do not wait for each other", { timeout: 5000 }, async () => {
  const storage = new MemoryStorage();
  let release;
  const stuck = new Promise((done) => (release = done));
  const slow = {
    read: async (key) => (key === "slow" ? stuck.then(() => storage.read(key)) : storage.read(key)),
    write: (key, value) => storage.write(key, value),
  };
  const votes = new Votes(slow);
  const waiting = votes.add("slow");
  assert.equal(await votes.add("quick"), 1);
  release();
  assert.equal(await waiting, 1);
});

test("a failing storage fails one vote, and no other", { timeout: 5000 }, async () => {
  const storage = new MemoryStorage();
  let writes = 0;
  const votes = new Votes({
    read: (key) => storage.read(key),
    write: async (key, value) => {
      writes += 1;
      if (writes === 2) throw new Error("disk full");
      await storage.write(key, value);
    },
  });
  const results = await Promise.allSettled([votes.add("a"), votes.add("a"), votes.add("a")]);
  assert.deepEqual(results.map((each) => each.status), ["fulfilled", "rejected", "fulfilled"]);
  assert.equal(results[1].reason.message, "disk full");
  assert.equal(await votes.count("a"), 2);
  assert.equal(await votes.add("a"), 3);
});

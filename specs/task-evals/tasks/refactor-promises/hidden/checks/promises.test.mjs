import assert from "node:assert/strict";
import test from "node:test";
import { Store } from "../src/store.js";
import { shelfLines } from "../src/shelf.js";

function files(content) {
  const asked = [];
  let reading = 0;
  const read = (name, callback) => {
    asked.push(name);
    reading += 1;
    assert.equal(reading, 1, "two files are read at once");
    setTimeout(() => {
      reading -= 1;
      if (name in content) callback(null, content[name]);
      else callback(Object.assign(new Error(`no ${name}`), { code: "ENOENT" }));
    }, 1);
  };
  return { asked, store: new Store(read) };
}

const BOOKS = {
  "book-1.json": '{"books": [3, 2]}',
  "book-2.json": '{"title": "Emma", "author": "Austen"}',
  "book-3.json": '{"title": "Beowulf"}',
  "book-4.json": "{",
  "book-5.json": '{"books": [3, 9, 2]}',
};

test("a book", async () => {
  const { store } = files(BOOKS);
  const promise = store.load(2);
  assert.ok(promise instanceof Promise);
  assert.deepEqual(await promise, { number: 2, title: "Emma", author: "Austen" });
});

test("several books, in order", async () => {
  const { store, asked } = files(BOOKS);
  assert.deepEqual((await store.loadAll([3, 2, 3])).map((book) => book.number), [3, 2, 3]);
  assert.deepEqual(asked, ["book-3.json", "book-2.json", "book-3.json"]);
  assert.deepEqual(await store.loadAll([]), []);
});

test("errors come through as they are", async () => {
  const { store } = files(BOOKS);
  await assert.rejects(store.load(9), { message: "no book-9.json", code: "ENOENT" });
  await assert.rejects(store.load(4), { message: "book 4 is damaged" });
});

test("nothing is read after an error", async () => {
  const { store, asked } = files(BOOKS);
  await assert.rejects(store.loadAll([3, 9, 2]), { code: "ENOENT" });
  assert.deepEqual(asked, ["book-3.json", "book-9.json"]);
});

test("a shelf", async () => {
  const { store } = files(BOOKS);
  assert.deepEqual(await shelfLines(store, 1), ["Beowulf (unknown)", "Emma (Austen)"]);
  await assert.rejects(shelfLines(store, 5), { code: "ENOENT" });
  await assert.rejects(shelfLines(store, 9), { code: "ENOENT" });
});

test("a list that is changed meanwhile, and a reader that fails at once", async () => {
  const store = new Store((name, callback) => callback(new Error("closed")));
  await assert.rejects(store.load(1), { message: "closed" });
});

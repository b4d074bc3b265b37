import assert from "node:assert/strict";
import test from "node:test";
import { parseCsv } from "../src/csv.js";
import { readCustomers } from "../src/customers.js";

test("plain rows are read as before", () => {
  assert.deepEqual(parseCsv("a,b\n1,2\n"), [["a", "b"], ["1", "2"]]);
  assert.deepEqual(parseCsv("a,b\r\n1,2"), [["a", "b"], ["1", "2"]]);
  assert.deepEqual(parseCsv("a,,c\n,,\n\n1,2,"), [["a", "", "c"], ["", "", ""], ["1", "2", ""]]);
  assert.deepEqual(parseCsv(""), []);
});

test("a comma inside quotes", () => {
  assert.deepEqual(parseCsv('"Smith, Jane",42\n'), [["Smith, Jane", "42"]]);
});

test("doubled quotes", () => {
  assert.deepEqual(parseCsv('"the ""best"" shop",x'), [['the "best" shop', "x"]]);
  assert.deepEqual(parseCsv('"""",x'), [['"', "x"]]);
});

test("a line break inside quotes", () => {
  assert.deepEqual(parseCsv('"1 High St\nLeeds",x\ny,z\n'), [["1 High St\nLeeds", "x"], ["y", "z"]]);
});

test("an empty line inside quotes, and an empty field in quotes", () => {
  assert.deepEqual(parseCsv('"a\n\nb",""\n'), [["a\n\nb", ""]]);
});

test("windows line ends around quoted fields", () => {
  assert.deepEqual(parseCsv('"a","b"\r\n"c","d"\r\n'), [["a", "b"], ["c", "d"]]);
});

test("customers", () => {
  const read = readCustomers('name,address\n"Smith, Jane","1 High St\nLeeds"\n');
  assert.deepEqual(read, [{ name: "Smith, Jane", address: "1 High St\nLeeds" }]);
});

import { parseCsv } from "./csv.js";

/** Reads customers from the text of an export: the first row names the columns. */
export function readCustomers(text) {
  const [names, ...rows] = parseCsv(text);
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? ""])));
}

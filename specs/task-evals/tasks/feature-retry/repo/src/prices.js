import { fetchJson } from "./fetch-json.js";

/** Gives the price of an article in cents. */
export async function priceOf(article, options) {
  const found = await fetchJson(`/articles/${encodeURIComponent(article)}`, options);
  return found.price;
}

import { LruCache } from "../src/cache.js";

const plain = new LruCache<string, number>(2);
const expiring = new LruCache<string, number>(2, { ttlMs: 10, now: () => 0 });
const clockOnly = new LruCache<string, number>(2, { now: () => 0 });
const value: number | undefined = expiring.get("a");
// @ts-expect-error the time is a number of milliseconds
new LruCache<string, number>(2, { ttlMs: "10" });
export { plain, clockOnly, value };

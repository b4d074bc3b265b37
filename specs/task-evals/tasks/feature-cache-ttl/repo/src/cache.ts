/** A cache that forgets what was not used for longest. */
export class LruCache<K, V> {
  readonly #entries = new Map<K, V>();

  constructor(readonly capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError("the capacity must be a whole number from 1");
  }

  /** How many entries it holds. */
  get size(): number {
    return this.#entries.size;
  }

  /** Gives the value of a key, which counts as used now. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined && !this.#entries.has(key)) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value as V);
    return value;
  }

  /** Keeps a value; when the cache is full, the entry that was not used for longest goes. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.capacity) this.#entries.delete(this.#entries.keys().next().value as K);
    this.#entries.set(key, value);
  }
}

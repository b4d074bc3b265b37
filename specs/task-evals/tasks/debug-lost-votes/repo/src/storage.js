/** A slow storage in memory, in the place of the real one. */
export class MemoryStorage {
  #values = new Map();

  async read(key) {
    await new Promise((done) => setTimeout(done, 1));
    return this.#values.get(key);
  }

  async write(key, value) {
    await new Promise((done) => setTimeout(done, 1));
    this.#values.set(key, value);
  }
}

/** Counts votes for answers. */
export class Votes {
  constructor(storage) {
    this.storage = storage;
  }

  /** Adds a vote and gives the number of votes that the answer has now. */
  async add(answer) {
    const count = (await this.storage.read(answer)) ?? 0;
    await this.storage.write(answer, count + 1);
    return count + 1;
  }

  /** Gives the number of votes of an answer. */
  async count(answer) {
    return (await this.storage.read(answer)) ?? 0;
  }
}

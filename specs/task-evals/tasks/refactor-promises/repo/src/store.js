/** Books by number, kept in files that `read(name, callback)` reads. */
export class Store {
  constructor(read) {
    this.read = read;
  }

  /** Loads a book: callback(error) or callback(null, book). */
  load(number, callback) {
    this.read(`book-${number}.json`, (error, text) => {
      if (error) return callback(error);
      let book;
      try {
        book = JSON.parse(text);
      } catch {
        return callback(new Error(`book ${number} is damaged`));
      }
      callback(null, { number, ...book });
    });
  }

  /** Loads several books, in the order of their numbers in the list; the first error ends it. */
  loadAll(numbers, callback) {
    const books = [];
    const next = () => {
      if (books.length === numbers.length) return callback(null, books);
      this.load(numbers[books.length], (error, book) => {
        if (error) return callback(error);
        books.push(book);
        next();
      });
    };
    next();
  }
}

/** Gives the titles on a shelf, each with its author: callback(error) or callback(null, lines). */
export function shelfLines(store, shelf, callback) {
  store.load(shelf, (error, found) => {
    if (error) return callback(error);
    store.loadAll(found.books, (error, books) => {
      if (error) return callback(error);
      callback(null, books.map((book) => `${book.title} (${book.author ?? "unknown"})`));
    });
  });
}

/**
 * Reads comma separated values.
 *
 * @param {string} text rows end with a line feed, or a carriage return and a line feed; the last one may lack its end
 * @returns {string[][]} the fields of each row; empty lines are left out
 */
export function parseCsv(text) {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) => line.split(","));
}

/** Puts items into groups by the key that `key` gives for each, in the order in which they come. */
export function groupBy(items: any[], key: any): any {
  const groups: any = {};
  for (const item of items) (groups[key(item)] ??= []).push(item);
  return groups;
}

/** Finds the item with the largest value, or undefined when there is none; of equal ones the first. */
export function maxBy(items: any[], value: any): any {
  let best: any;
  for (const item of items) if (best === undefined || value(item) > value(best)) best = item;
  return best;
}

/** Gives what `read` gives for each item, without those for which it gives undefined or null. */
export function collect(items: any[], read: any): any[] {
  return items.map(read).filter((each: any) => each !== undefined && each !== null);
}

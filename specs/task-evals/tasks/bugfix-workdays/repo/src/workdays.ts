/** A day as YYYY-MM-DD. */
export type Day = string;

/**
 * Counts the working days between two days, both included.
 *
 * Saturdays, Sundays and the given holidays are free. A range that ends before it begins has no working day.
 */
export function countWorkdays(from: Day, to: Day, holidays: readonly Day[] = []): number {
  const last = new Date(to);
  let count = 0;
  for (const day = new Date(from); day <= last; day.setDate(day.getDate() + 1)) {
    const free = day.getDay() === 0 || day.getDay() === 6 || holidays.includes(day.toISOString().slice(0, 10));
    if (!free) count += 1;
  }
  return count;
}

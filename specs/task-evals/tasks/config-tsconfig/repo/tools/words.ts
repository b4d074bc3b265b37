/** Counts the words of a text; used by hand now and then. */
export function words(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}

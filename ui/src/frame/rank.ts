/** How well a text has some words: larger is better, 0 is not at all. Words may be given by their beginnings, in any order. */
export function score(words: string, text: string): number {
  const sought = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = text.toLowerCase();
  let sum = 1;
  for (const word of sought) {
    const at = found.indexOf(word);
    if (at < 0) return 0;
    const begins = at === 0 || /[\s/+._-]/.test(found[at - 1] ?? "");
    sum += begins ? 3 : 1;
    if (at === 0) sum += 2;
  }
  return sum;
}

/** The items that have the words, the best first; those that have them equally well stay in their order. */
export function ranked<T>(words: string, items: readonly T[], text: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, score: score(words, text(item)) }))
    .filter((found) => found.score > 0)
    .sort((a, b) => b.score - a.score)
    .map((found) => found.item);
}

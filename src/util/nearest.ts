/** Finds the most similar text. */
import { distance } from 'fastest-levenshtein';

/** The candidate most similar to the given word, if any is similar enough. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const far = distance(word.toLowerCase(), candidate.toLowerCase());
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** The items, most similar to one of the words first; in a fixed order where they are equally similar. */
export function byLikeness<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  words: readonly string[],
): readonly T[] {
  const far = (item: T) => {
    const text = textOf(item).toLowerCase();
    return Math.min(...words.map((word) => distance(word.toLowerCase(), text)), Number.MAX_SAFE_INTEGER);
  };
  return items
    .map((item) => ({ item, far: far(item), text: textOf(item) }))
    .sort((left, right) => left.far - right.far || (left.text < right.text ? -1 : 1))
    .map(({ item }) => item);
}

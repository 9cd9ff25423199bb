/** Finds the most similar text. */
import { distance } from 'fastest-levenshtein';

/** The candidate most similar to the given word, if any is similar enough. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const lowered = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const far = distance(lowered, candidate.toLowerCase());
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** More pairs of items and words than this are not all compared. */
const pairsAtMost = 100_000;
/** Among more pairs, an item is compared with so many words before and after it in the alphabet. */
const neighbours = 4;

/** Which items are looked for. */
interface Wanted {
  readonly words: readonly string[];
  readonly count: number;
}

/**
 * The items most similar to one of the words, the most similar first; in a fixed order where they are equally similar. Of very
 * many pairs only those are compared that begin or end alike.
 */
export function mostAlike<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  { words, count }: Wanted,
): readonly T[] {
  const lowered = [...new Set(words.map((word) => word.toLowerCase()))];
  const isMany = items.length * lowered.length > pairsAtMost;
  const near = isMany ? alphabetical(lowered) : () => lowered;
  const rated = items.map((item) => {
    const text = textOf(item);
    return { item, text, far: leastDistance(text.toLowerCase(), near) };
  });
  return rated
    .sort((left, right) => left.far - right.far || (left.text < right.text ? -1 : 1))
    .slice(0, count)
    .map(({ item }) => item);
}

function leastDistance(text: string, near: (text: string) => readonly string[]): number {
  let least = Number.MAX_SAFE_INTEGER;
  for (const word of near(text)) {
    if (Math.abs(word.length - text.length) < least) least = Math.min(least, distance(word, text));
  }
  return least;
}

/** Finds the words around a text in the alphabet, read from the front and from the back. */
function alphabetical(words: readonly string[]): (text: string) => readonly string[] {
  const forwards = words.toSorted();
  const backwards = words.map(reversed).toSorted();
  return (text) => [...around(forwards, text), ...around(backwards, reversed(text)).map(reversed)];
}

function around(sorted: readonly string[], text: string): readonly string[] {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((sorted[middle] ?? '') < text) from = middle + 1;
    else to = middle;
  }
  return sorted.slice(Math.max(0, from - neighbours), from + neighbours);
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

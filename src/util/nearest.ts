import { distance as differingLetters } from 'fastest-levenshtein';

/** Longer texts are not compared letter by letter, since the time grows with the product of their lengths. */
const mostLetters = 1000;

function distance(left: string, right: string): number {
  const letters = Math.max(left.length, right.length);
  return letters > mostLetters ? letters : differingLetters(left, right);
}

/** Undefined if no candidate is similar enough: up to `atMost` letters may differ, by default a third of the word. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  atMost = Math.max(2, Math.floor(word.length / 3)),
): string | undefined {
  const lowered = word.toLowerCase();
  let best: string | undefined;
  let least = atMost + 1;
  for (const candidate of candidates) {
    if (candidate === word) continue;
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const far = distance(lowered, candidate.toLowerCase());
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** Above this number of pairs, not all are compared. */
const pairsAtMost = 100_000;
/** Each item is then compared with this many words before and after it in the alphabet. */
const neighbors = 4;

/**
 * Sorted from the most similar, in a fixed order for ties. If there are very many pairs, only words with a similar beginning or end are
 * compared.
 */
export function mostAlike<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  { words, count }: { readonly words: readonly string[]; readonly count: number },
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

function alphabetical(words: readonly string[]): (text: string) => readonly string[] {
  const forwards = words.toSorted();
  const backwards = words.map(reversed).toSorted();
  return (text) => [...closest(forwards, text), ...closest(backwards, reversed(text)).map(reversed)];
}

function closest(sorted: readonly string[], text: string): readonly string[] {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((sorted[middle] ?? '') < text) from = middle + 1;
    else to = middle;
  }
  return sorted.slice(Math.max(0, from - neighbors), from + neighbors);
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

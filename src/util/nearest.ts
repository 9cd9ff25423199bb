/** Finds what somebody probably meant. */
import { distance } from 'fastest-levenshtein';

/** The candidate most like the given word, if it is like it at all. */
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

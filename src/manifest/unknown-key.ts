/** Reports keys that are not known where they are. */
import { nearest } from '../util/nearest.ts';
import type { LocatedEntry } from './located.ts';
import type { Problems } from './problems.ts';

/** Where an unknown key is, and what could be there. */
export interface UnknownKey {
  readonly entry: LocatedEntry;
  /** What a key is called there: `key`, `setting`, `kind`. */
  readonly noun: string;
  /** What has the key, with its article; left out where the noun implies it. */
  readonly owner?: string | undefined;
  readonly known: readonly string[];
  readonly address?: string | undefined;
  /** In place of a guess. */
  readonly suggestion?: string | undefined;
}

/** Adds the problem, at the key. */
export function reportUnknownKey(unknown: UnknownKey, problems: Problems): void {
  const { entry, noun, owner, known, address } = unknown;
  const where = owner === undefined ? '' : ` in ${owner}`;
  problems.error('unknown-key', `unknown ${noun} ${JSON.stringify(entry.key)}${where}`, entry.keyAt, {
    address,
    suggestion: unknown.suggestion ?? suggestKnown(entry.key, known),
  });
}

/** The nearest of the known words, or all of them. */
export function suggestKnown(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? `use one of ${known.join(', ')}` : `did you mean ${near}?`;
}

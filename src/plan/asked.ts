/** Remembers what a plan asked to see, so that nothing is read twice. */
import type { Read, Stage } from '../tree/reads.ts';

/** All reads of one planning. */
export class Asked {
  readonly #keys = new Set<string>();

  /** Asks for those reads that were not asked for before; false when there are none, and nothing had to be read. */
  *ask(reads: readonly Read[]): Stage<boolean> {
    const fresh = reads.filter((read) => {
      const key = keyOf(read);
      if (this.#keys.has(key)) return false;
      this.#keys.add(key);
      return true;
    });
    if (fresh.length === 0) return false;
    yield fresh;
    return true;
  }
}

function keyOf(read: Read): string {
  // A list is a list, however much of it counts.
  const { type, partial: _partial, ...rest } = { partial: undefined, ...read };
  return JSON.stringify([type, ...Object.entries(rest).sort(([left], [right]) => (left < right ? -1 : 1))]);
}

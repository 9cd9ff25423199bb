import type { Stage } from '../../src/tree/reads.ts';

/** Runs a stage over a live tree that has all that it reads. */
export function runKnown<T>(stage: Stage<T>): T {
  for (;;) {
    const step = stage.next();
    if (step.done === true) return step.value;
  }
}

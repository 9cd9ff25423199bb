/**
 * Faults that years must find: each takes one guard, claim or wait out of the source. `OCTAVO_MUTANT` names the one that a run of the
 * tests has.
 */
export interface Mutant {
  readonly name: string;
  /** Relative to src. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const mutants: readonly Mutant[] = [
  {
    name: 'the successor of a replaced object is not known',
    file: 'plan/context.ts',
    from: 'this.superseded = this.#findSuperseded();',
    to: 'this.superseded = new Map();',
  },
  {
    name: 'values that were to be carried over are not owed',
    file: 'plan/own/own-work-of.ts',
    from: 'if (carried.length > 0)',
    to: 'if (carried.length < 0)',
  },
  {
    name: 'a replacement carries nothing over',
    file: 'plan/complete/replaced.ts',
    from: 'if (former === undefined && owed === undefined) continue;',
    to: 'continue;',
  },
  {
    name: 'journals of other machines are not read',
    file: 'run/open-session.ts',
    from: 'if (journals === undefined || repository === undefined) return [];',
    to: 'return [];',
  },
  {
    name: 'a run that failed closes earlier ones',
    file: 'past/journal/unfinished.ts',
    from: "const isComplete = ending?.outcome === 'complete';",
    to: 'const isComplete = ending !== undefined;',
  },
  {
    name: 'an incomplete run is recorded',
    file: 'run/apply-run.ts',
    from: ' && isComplete(result)',
    to: '',
  },
  {
    name: 'a base that is ahead is not refused',
    file: 'past/base/ahead.ts',
    from: 'if (mergeBase === base) return undefined;',
    to: 'return undefined;',
  },
  {
    name: 'two entries may claim one object',
    file: 'plan/match/matcher.ts',
    from: 'return this.addressOf(live) !== undefined;',
    to: 'return false;',
  },
  {
    name: 'removed entries are not deleted',
    file: 'plan/removals.ts',
    from: "if (former !== undefined && pruneOf(this.#context.desired.settings, live.kind) !== 'never')",
    to: 'if (former === undefined)',
  },
  {
    name: 'what a run made is not known to be ours',
    file: 'tree/own-work.ts',
    from: 'return ref !== undefined && this.#made.has(ref);',
    to: 'return false;',
  },
  {
    name: 'what a run sent is not known to be ours',
    file: 'tree/own-work.ts',
    from: 'return sent !== undefined && what.some((one) => sent.has(one));',
    to: 'return false;',
  },
  {
    name: 'the former key of a container is not known',
    file: 'plan/make-plan.ts',
    from: 'withFormerKeys(declared, base, registry);',
    to: 'declared;',
  },
  {
    name: 'a complete run is done before it is recorded',
    file: 'past/journal/unfinished.ts',
    from: 'name > (since.get(label) ?? name)',
    to: 'label === name',
  },
  {
    name: 'a successor that a cut run created stays next to another one',
    file: 'plan/own/begun.ts',
    from: 'return isKnown && matching',
    to: 'return !isKnown && matching',
  },
  {
    name: 'the work of a run at a former address is not found',
    file: 'plan/make-plan.ts',
    from: 'withCurrentAddresses(this.#own.work, desired)',
    to: '(withCurrentAddresses(this.#own.work, desired), this.#own.work)',
  },
];

/** All guards over a draft, in one fixed order: what a plan must not do unless it was asked for in so many words. */
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { Doomed } from '../diff/deletions.ts';
import type { Refusal } from '../plan.ts';
import { contents, defaults } from './contents.ts';
import type { Guarded } from './guarded.ts';
import { limits } from './limits.ts';
import { lastOnes, ownMember, restingValues } from './lockout.ts';
import { openWork, protection } from './protection.ts';
import { probableRenames } from './renames.ts';

/** What is judged: a draft, and all that it would make go. */
type Draft = Omit<Guarded, 'spared'>;

/** What the guards say. */
export interface Judgement {
  readonly refusals: readonly Refusal[];
  readonly notes: readonly Diagnostic[];
}

/**
 * The verdicts of all guards. With `skip`, what they refuse leaves the draft together with all that needs it, until what
 * is left meets no objection.
 */
export function judge(guarded: Draft, { skip }: { readonly skip: boolean }): Judgement {
  const first = verdicts(guarded);
  if (!skip) return first;
  const { draft } = guarded;
  const known = new Map<string, Refusal>();
  for (let refusals = first.refusals; ; ) {
    const fresh = refusals.filter((refusal) => !known.has(keyOf(refusal)));
    if (fresh.length === 0) break;
    for (const refusal of fresh) known.set(keyOf(refusal), { ...refusal, skipped: true });
    const before = draft.steps.size;
    draft.drop(withDependents(guarded, fresh));
    if (draft.steps.size === before) break;
    refusals = verdicts(guarded).refusals;
  }
  return { refusals: [...known.values()], notes: first.notes };
}

function verdicts(guarded: Draft): Judgement {
  const { draft, doomed } = guarded;
  const isGoing = ({ by }: Doomed) => by !== undefined && draft.steps.has(by);
  const present = {
    ...guarded,
    doomed: doomed.filter(isGoing),
    spared: doomed.filter((one) => !isGoing(one)),
  };
  const renames = probableRenames(present);
  return {
    refusals: [
      ...renames.refusals,
      ...protection(present),
      ...openWork(present),
      ...contents(present),
      ...defaults(present),
      ...lastOnes(present),
      ...ownMember(present),
      ...restingValues(present),
      ...limits(present),
    ],
    notes: renames.notes,
  };
}

function keyOf({ guard, address, steps }: Refusal): string {
  return JSON.stringify([guard, address, steps]);
}

/** The refused steps and all that need one of them; every step where a verdict is on the whole. */
function withDependents({ draft }: Draft, refusals: readonly Refusal[]): ReadonlySet<string> {
  const out = new Set(
    refusals.flatMap(({ steps }) => (steps.length === 0 ? [...draft.steps.keys()] : steps)),
  );
  for (let size = -1; size !== out.size; ) {
    size = out.size;
    for (const step of draft.steps.values()) {
      if ([...step.needs].some((id) => out.has(id))) out.add(step.id);
    }
  }
  return out;
}

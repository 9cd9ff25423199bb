/** Runs all guards in a fixed order, a caller's guards last, and removes skipped refusals from a plan. */
import type { Read } from '../../tree/reads.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import type { PlanDraft } from '../order/draft.ts';
import type { Refusal, RuleFinding } from '../plan.ts';
import type { Deletion } from '../removals.ts';
import { dependenciesOf } from '../step-id.ts';
import { atLeastOne } from './at-least-one.ts';
import { contents } from './contents.ts';
import { defaults } from './defaults.ts';
import { exclusive } from './exclusive.ts';
import type { Guard, GuardedPlan, SentDeletion, Situation } from './guard.ts';
import { keptValues } from './kept-values.ts';
import { limits } from './limits.ts';
import { madeByOthers } from './made-by-others.ts';
import { missing } from './missing.ts';
import { openWork } from './open-work.ts';
import { ownMember } from './own-member.ts';
import { protection } from './protection.ts';
import { renames } from './renames.ts';
import { requirements } from './requirements.ts';
import { swaps } from './swaps.ts';
import { synced } from './synced.ts';

const unseen: Guard = { name: 'unseen', check: (plan) => ({ refusals: plan.unseen }) };

const guards: readonly Guard[] = [
  unseen,
  missing,
  swaps,
  renames,
  protection,
  synced,
  madeByOthers,
  openWork,
  contents,
  defaults,
  atLeastOne,
  ownMember,
  requirements,
  exclusive,
  keptValues,
  limits,
];

export interface Judgement {
  readonly draft: PlanDraft;
  readonly refusals: readonly Refusal[];
  readonly notes: readonly Diagnostic[];
  readonly findings: readonly RuleFinding[];
}

export interface GuardInput extends Omit<GuardedPlan, 'deletions' | 'gone' | 'keptDeletions'> {
  readonly deletions: readonly Deletion[];
  readonly more: readonly Guard[];
}

export function guardReads(situation: Situation, more: readonly Guard[]): readonly Read[] {
  return [...guards, ...more].flatMap(({ needs }) => needs?.(situation) ?? []);
}

/** An undo has no manifests, so it cannot suggest their settings. */
const undoSuggestion =
  'change that in the app first, then run octavo undo again; or pass --skip-refused to undo the rest';

export function runGuards(input: GuardInput): Judgement {
  const isSent = (one: Deletion): one is SentDeletion =>
    one.by !== undefined && input.draft.steps.has(one.by);
  const deletions = input.deletions.filter(isSent);
  const plan: GuardedPlan = {
    ...input,
    deletions,
    gone: new Set(deletions.map(({ live }) => live)),
    keptDeletions: input.deletions.filter((deletion) => !isSent(deletion)),
  };
  const verdicts = [...guards, ...input.more].map(({ name: guard, check }) => ({ guard, ...check(plan) }));
  const all = verdicts.flatMap(({ guard, refusals: own }) => own.map((one) => ({ guard, ...one })));
  // Advice for a transferred object would delete it, or create another one.
  const moved = new Set(all.flatMap(({ guard, steps }) => (guard === 'transfer' ? steps : [])));
  const refusals = all.filter(
    ({ guard, steps }) => guard === 'transfer' || steps.length === 0 || steps.some((one) => !moved.has(one)),
  );
  const isUndo = input.context.base?.undoes !== undefined;
  return {
    draft: input.draft,
    refusals: isUndo ? refusals.map((refusal) => ({ ...refusal, suggestion: undoSuggestion })) : refusals,
    notes: verdicts.flatMap(({ notes = [] }) => notes),
    findings: verdicts.flatMap(({ findings = [] }) => findings),
  };
}

/** Removes refused steps and their dependents until no guard refuses a step. */
export function skipRefused(input: GuardInput): Judgement {
  const first = runGuards(input);
  const known = new Map<string, Refusal>();
  let { draft } = input;
  for (let { refusals } = first; ; ) {
    const fresh = refusals.filter((refusal) => !known.has(keyOf(refusal)));
    for (const refusal of fresh) known.set(keyOf(refusal), { ...refusal, skipped: true });
    const rest = draft.without(withDependents(draft, fresh));
    if (rest.steps.size === draft.steps.size) break;
    draft = rest;
    refusals = runGuards({ ...input, draft }).refusals;
  }
  return { ...first, draft, refusals: [...known.values()] };
}

function keyOf({ guard, rule, address, steps }: Refusal): string {
  return JSON.stringify([guard, rule, address, steps]);
}

function withDependents(draft: PlanDraft, refusals: readonly Refusal[]): ReadonlySet<string> {
  const dependents = new Map<string, string[]>();
  for (const step of draft.steps.values())
    for (const id of dependenciesOf(step)) push(dependents, id, step.id);
  const out = new Set(
    refusals.flatMap(({ steps }) => (steps.length === 0 ? [...draft.steps.keys()] : steps)),
  );
  // The loop also visits entries added while it runs.
  for (const id of out) for (const dependent of dependents.get(id) ?? []) out.add(dependent);
  return out;
}

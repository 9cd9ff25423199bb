/** What a guard is: a rule that a plan must not break unless the manifests ask for it explicitly. */
import type { LiveNode } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';
import type { Deletion, Removals } from '../diff/removals.ts';
import type { DraftStep, PlanDraft } from '../order/draft.ts';
import type { Refusal, Unmanaged } from '../plan.ts';

/** What is known before differences are looked at. */
export interface Situation {
  readonly context: PlanContext;
  readonly removals: Removals;
}

/** A finished draft with everything that goes. */
export interface GuardedPlan {
  readonly context: PlanContext;
  readonly draft: PlanDraft;
  /** What goes with steps that are in the draft. */
  readonly deletions: readonly Deletion[];
  /** What would go, and whose delete was left out of the draft. */
  readonly keptDeletions: readonly Deletion[];
  readonly unmanaged: readonly Unmanaged[];
  /** Deletes that are allowed this once, beyond the limit. */
  readonly allowDeletes?: number;
}

/** What a guard says. */
export interface Verdict {
  readonly refusals: readonly Refusal[];
  readonly notes?: readonly Diagnostic[];
}

/** A rule over plans. It changes nothing. */
export interface Guard {
  /** As refusals show it. */
  readonly name: Refusal['guard'];
  /** What it must see beyond what matching and deletes need; asked for until there is nothing new. */
  readonly needs?: (situation: Situation) => readonly Read[];
  readonly check: (plan: GuardedPlan) => Verdict;
}

/** An object that will be gone, with the steps that make it go. */
export interface GoingObject {
  readonly address: string;
  readonly live: LiveNode;
  readonly steps: readonly string[];
  readonly isReplaced: boolean;
}

/** All objects that will be gone, also those that new ones replace. */
export function goingObjects({ context, draft, deletions }: GuardedPlan): readonly GoingObject[] {
  const gone = deletions.map(({ address, live, by }) => ({
    address,
    live,
    steps: by === undefined ? [] : [by],
    isReplaced: false,
  }));
  const replaced = [...context.replaced]
    .filter(([address]) => draft.get(address, 'delete') !== undefined)
    .map(([address, live]) => ({
      address,
      live,
      steps: draft.at(address).map(({ id }) => id),
      isReplaced: true,
    }));
  return [...gone, ...replaced];
}

/** The steps that delete something. */
export function deletesIn({ draft }: GuardedPlan): readonly DraftStep[] {
  return [...draft.steps.values()].filter(({ phase }) => phase === 'delete');
}

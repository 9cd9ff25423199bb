/** A guard: a rule that a plan must not break unless the manifests allow it explicitly. */
import type { LiveNode } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';
import type { PlanDraft } from '../order/draft.ts';
import type { Refusal, RuleFinding, Unmanaged } from '../plan.ts';
import type { Deletion, Removals } from '../removals.ts';

export interface Situation {
  readonly context: PlanContext;
  readonly removals: Removals;
}

export interface GuardedPlan {
  readonly context: PlanContext;
  readonly draft: PlanDraft;
  readonly deletions: readonly SentDeletion[];
  /** The objects that these steps delete, also along with others. */
  readonly gone: ReadonlySet<LiveNode>;
  readonly keptDeletions: readonly Deletion[];
  readonly unmanaged: readonly Unmanaged[];
  /** Refusals for objects that the token does not see. */
  readonly unseen: readonly OwnRefusal[];
  readonly allowDeletes?: number;
  /** Ids of steps that a repository makes instead, and that are not in the draft. */
  readonly left: ReadonlySet<string>;
}

/** A deletion by a step of the plan. */
export type SentDeletion = Deletion & Required<Pick<Deletion, 'by'>>;

export type OwnRefusal = Omit<Refusal, 'guard'>;

export interface Verdict {
  readonly refusals: readonly OwnRefusal[];
  readonly notes?: readonly Diagnostic[];
  readonly findings?: readonly RuleFinding[];
}

export interface Guard {
  readonly name: Refusal['guard'];
  /** Further reads that the guard needs. Called until it returns no new ones. */
  readonly needs?: (situation: Situation) => readonly Read[];
  readonly check: (plan: GuardedPlan) => Verdict;
}

export interface DeletedObject {
  readonly address: string;
  readonly live: LiveNode;
  readonly steps: readonly string[];
  readonly isReplaced: boolean;
}

export function deletedObjects({ context, draft, deletions }: GuardedPlan): readonly DeletedObject[] {
  const gone = deletions
    .filter(({ live }) => live.initial !== true)
    .map(({ address, live, by }) => ({ address, live, steps: [by], isReplaced: false }));
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

/**
 * A plan as data: the steps that lead from the live state to the desired one, each with the very requests that apply
 * sends. Reports, saved plans and apply read this and nothing else.
 *
 * Invariants: steps stand in an order in which they could run one by one; `needs` and `after` name earlier steps only;
 * the same trees give the same plan, byte for byte; no secret is in it.
 */
import type { Call, Payload } from '../kinds/payload.ts';
import type { Diagnostic } from '../util/diagnostic.ts';

/** What happens to an object, as people read it. */
export type Action = 'create' | 'update' | 'move' | 'replace' | 'delete' | 'restore';

/** What one step does for its object; an object may need several steps. */
export type Phase = 'delete' | 'restore' | 'create' | 'vacate' | 'detach' | 'attach' | 'update' | 'move';

/**
 * Why something differs: `changed` the manifests asked for it since the base; `drift` the live state went another way
 * while the manifests stayed; `conflict` both did.
 */
export type Cause = 'changed' | 'drift' | 'conflict';

/** One field before and after. Ids that stand for objects are `{ $id: address }`, secrets `{ $secret: template }`. */
export interface FieldChange {
  readonly field: string;
  readonly before?: Payload;
  readonly after?: Payload;
  /** Absent without a base. */
  readonly cause?: Cause;
  /** What the base says, where all three differ. */
  readonly base?: Payload;
  /** What a reviewer should weigh about this very field; among the risks of its step as well. */
  readonly risk?: string;
}

/** A live object that goes down with another one. */
export interface CascadedDelete {
  readonly kind: string;
  readonly noun: string;
  readonly id: string;
  readonly title: string;
}

/** One step: some requests, one after the other, for one object. */
export interface Step {
  /** Unique in the plan: the address and the phase. */
  readonly id: string;
  readonly address: string;
  readonly kind: string;
  readonly noun: string;
  /** The live object's id, where it exists already. */
  readonly liveId?: string;
  /** What people call the live object, where no manifest declares it. */
  readonly title?: string;
  readonly action: Action;
  readonly phase: Phase;
  /** Why the step is there as a whole; an update's fields have their own. Absent without a base. */
  readonly cause?: Cause;
  /** Why, in a few words. */
  readonly reason: string;
  readonly fields: readonly FieldChange[];
  /** What a reviewer should weigh, one sentence each. */
  readonly risks: readonly string[];
  readonly calls: readonly Call[];
  /** What goes down with a delete and has no delete of its own; absent where there is none. */
  readonly cascade?: readonly CascadedDelete[];
  /** Steps that must have succeeded. */
  readonly needs: readonly string[];
  /** Steps that must have ended, whatever came of them. */
  readonly after: readonly string[];
}

/**
 * A live object in a declared collection that the manifests do not list; left alone. With a base, only what the base
 * declared: what never was in the manifests is not mentioned.
 */
export interface Unmanaged {
  readonly address: string;
  readonly kind: string;
  readonly noun: string;
  readonly id: string;
  readonly title: string;
}

/** A change that the manifests ask for and a guard forbids. Apply does nothing while there is one that is not skipped. */
export interface Refusal {
  readonly guard: string;
  readonly address: string;
  readonly message: string;
  readonly suggestion: string;
  /** Ids of the steps that it forbids; all of the plan where it names none. */
  readonly steps: readonly string[];
  /** True when these steps, and those that need them, were left out of the plan so that the rest can go on. */
  readonly skipped?: true;
}

/** The plan of one organization. */
export interface OrganizationPlan {
  readonly organizationId: string;
  readonly label: string;
  /** Ids of the live objects that the manifests declare and that stay, by address. */
  readonly ids: Readonly<Record<string, string>>;
  /** What the live objects that steps change were like when they were looked at, by address; secrets are left out. */
  readonly seen: Readonly<Record<string, Readonly<Record<string, Payload>>>>;
  /** True when it is known what was wanted before, so that causes are told. */
  readonly withBase: boolean;
  readonly steps: readonly Step[];
  readonly unmanaged: readonly Unmanaged[];
  readonly refusals: readonly Refusal[];
  /** Warnings and hints that planning came upon. */
  readonly notes: readonly Diagnostic[];
}

/** The plan of a run. */
export interface Plan {
  readonly format: 1;
  readonly organizations: readonly OrganizationPlan[];
}

/** How many objects are created, updated, and so on; each object counts once, by its action. */
export type Counts = Readonly<Record<Action, number>>;

/** Counts the objects of a plan by action. */
export function countActions(plan: Plan): Counts {
  const counts: Record<Action, number> = { create: 0, update: 0, move: 0, replace: 0, delete: 0, restore: 0 };
  for (const organization of plan.organizations) {
    const seen = new Map<string, Action>();
    for (const step of organization.steps) seen.set(`${step.address} ${step.action}`, step.action);
    for (const action of seen.values()) counts[action] += 1;
  }
  return counts;
}

/** The refusals for which nothing of the plan may be applied. */
export function standingRefusals(plan: Plan): readonly Refusal[] {
  return plan.organizations.flatMap(({ refusals }) => refusals.filter(({ skipped }) => skipped !== true));
}

/** True when the plan holds nothing to do. */
export function isEmptyPlan(plan: Plan): boolean {
  return plan.organizations.every(({ steps, refusals }) => steps.length === 0 && refusals.length === 0);
}

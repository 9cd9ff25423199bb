/** The document of a plan: with its review, its digest and its counts. */

import { type Action, type Counts, countActions, isEmptyPlan, type Plan } from '../plan/plan.ts';
import { defined } from '../util/defined.ts';
import { objectChanges } from './object-changes.ts';
import type { ReviewedPlan } from './reviewed-plan.ts';

export interface PlanDigests {
  readonly digest: string;
  /** Covers the plan and every part of it. */
  readonly approval: string;
  readonly version: string;
}

export function planDocumentOf(plan: ReviewedPlan, digests: PlanDigests) {
  const countsByCause = countByCause(plan);
  return {
    ...plan,
    ...digests,
    counts: countActions(plan),
    ...defined({ countsByCause }),
    empty: isEmptyPlan(plan),
    partial: isPartial(plan),
  };
}

export function shortDigest(digest: string): string {
  return digest.slice(0, 16);
}

/** True if targets, exclusions or a shard leave out a part. */
export function isPartial(plan: Plan): boolean {
  return (
    plan.shard !== undefined ||
    plan.organizations.some(
      ({ leftOut }) => (leftOut.target ?? leftOut.exclude ?? leftOut.changed) !== undefined,
    )
  );
}

/** Numbers of objects that the manifests change, and that drifted. An object with both counts in both. */
export interface CauseCounts {
  readonly change: Counts;
  readonly drift: Counts;
  /** Fields that both the manifests and the live state changed, to different values; their objects are in `change`. */
  readonly conflicts: number;
}

/** Sums over all organizations with a base; undefined without any. */
export function countByCause(plan: Plan): CauseCounts | undefined {
  const organizations = plan.organizations.filter(({ withBase }) => withBase);
  if (organizations.length === 0) return undefined;
  const counts = { change: noCounts(), drift: noCounts() };
  let conflicts = 0;
  for (const { action, group = 'change', fields } of organizations.flatMap(objectChanges)) {
    counts[group][action] += 1;
    conflicts += fields.filter(({ cause }) => cause === 'conflict').length;
  }
  return { ...counts, conflicts };
}

function noCounts(): Record<Action, number> {
  return { create: 0, update: 0, move: 0, replace: 0, delete: 0, restore: 0 };
}

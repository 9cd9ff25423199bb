/** Counts the changes of a plan by cause, as its report shows them. Pure. */
import type { Action, Counts, Plan } from '../plan/plan.ts';
import { objectChanges } from './object-changes.ts';

/** How many objects the manifests change and how many drifted. An object with changes of both sorts counts in both. */
export interface CauseCounts {
  readonly change: Counts;
  readonly drift: Counts;
  /** Fields that both the manifests and the live state changed, each to another value; their objects are in `change`. */
  readonly conflicts: number;
}

/** Counts the objects of all organizations with a base; undefined where none has one. */
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

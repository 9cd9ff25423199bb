/** What a plan leaves out, in words: a plan that is not whole never reads as if it were. Pure. */
import type { OrganizationPlan, Plan, PlanShard } from '../plan/plan.ts';
import { countOf } from '../util/count.ts';

/** Everything that is left out, added up over all organizations. */
interface LeftOutTotals {
  readonly objects: number;
  readonly changes: number;
  readonly drift: number;
  readonly ignoredFields: number;
  readonly pending: number;
}

/** True where targets, exclusions or a shard make the plan a part. */
export function isPartial(plan: Plan): boolean {
  return (
    plan.shard !== undefined ||
    plan.organizations.some(({ leftOut }) => leftOut?.target !== undefined || leftOut?.exclude !== undefined)
  );
}

/** For example `Partial plan: only teams/writers and its dependencies (72 declared objects left out).` */
export function partialText(plan: Plan): string | undefined {
  if (!isPartial(plan)) return undefined;
  const { leftOut: { target, exclude } = {}, shows } = plan.organizations[0] ?? {};
  if (shows === 'drift' && target !== undefined) {
    const shard = plan.shard === undefined ? '' : `, ${shardText(plan.shard, plan.organizations.length)}`;
    return `Partial report: only ${target.join(', ')}${shard}.`;
  }
  const { objects } = totalsOf(plan);
  const parts = [
    ...(plan.shard === undefined ? [] : [shardText(plan.shard, plan.organizations.length)]),
    ...(target === undefined ? [] : [`only ${target.join(', ')} and dependencies`]),
    ...(exclude === undefined ? [] : [`without ${exclude.join(', ')} and dependents`]),
  ];
  const rest = objects === 0 ? '' : ` (${countOf(objects, 'declared object')} left out)`;
  return `Partial plan: ${parts.join(', ')}${rest}.`;
}

/** For example `shard 2/16 with 12 of 200 organizations`. */
function shardText({ index, of, organizations: all }: PlanShard, own: number): string {
  return `shard ${index}/${of} with ${own === 0 ? 'none' : own} of ${countOf(all, 'organization')}`;
}

/** For example `Left out: 2 differences (drift), 3 unmanaged members (--show-unmanaged).`; undefined for nothing. */
export function leftOutText(plan: Plan): string | undefined {
  const { changes, drift, ignoredFields, pending } = totalsOf(plan);
  const isDrift = plan.organizations.some(({ shows }) => shows === 'drift');
  // Drift is shown with them.
  const unmanaged = isDrift ? '' : unmanagedText(plan.organizations);
  const parts = [
    ...(pending === 0 ? [] : [`changes of ${countOf(pending, 'object')} (not applied yet)`]),
    ...(changes === 0
      ? []
      : [`changes of ${countOf(changes, 'object')} (${isDrift ? 'addresses' : 'targets'})`]),
    ...(drift === 0 ? [] : [`${countOf(drift, 'difference')} (drift)`]),
    ...(ignoredFields === 0 ? [] : [`${countOf(ignoredFields, 'difference')} (lifecycle.ignore)`]),
    ...(unmanaged === '' ? [] : [`${unmanaged} (--show-unmanaged)`]),
  ];
  return parts.length === 0 ? undefined : `Left out: ${parts.join(', ')}.`;
}

/** For example `2 unmanaged members, 1 unmanaged share link`: the most dangerous kinds first. */
export function unmanagedText(organizations: readonly OrganizationPlan[]): string {
  const counts = new Map<string, number>();
  for (const { noun, risk } of organizations.flatMap(({ unmanaged }) => unmanaged)) {
    const name = `unmanaged ${risk === 'administrator' ? risk : noun}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => countOf(count, name)).join(', ');
}

function totalsOf(plan: Plan): LeftOutTotals {
  const none = { objects: 0, changes: 0, drift: 0, ignoredFields: 0, pending: 0 };
  return plan.organizations.reduce<LeftOutTotals>((sum, { leftOut = none }) => {
    const { objects, changes, drift, ignoredFields, pending = 0 } = leftOut;
    return {
      objects: sum.objects + objects,
      changes: sum.changes + changes,
      drift: sum.drift + drift,
      ignoredFields: sum.ignoredFields + ignoredFields,
      pending: sum.pending + pending,
    };
  }, none);
}

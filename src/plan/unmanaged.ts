/** Live objects that no manifest lists, in the order in which a reviewer should see them. */
import type { PlanContext } from './context.ts';
import type { Unmanaged } from './plan.ts';

/** Those that give somebody access first, the most dangerous kinds before others. */
export function byDanger(context: PlanContext, unmanaged: readonly Unmanaged[]): readonly Unmanaged[] {
  return unmanaged
    .map((one) => {
      const fields = context.live.get(one)?.fields ?? {};
      const access = context.registry.byName(one.kind).givesAccess?.(fields);
      if (access === undefined) return { rank: Number.MAX_SAFE_INTEGER, one };
      return { rank: access.rank, one: { ...one, risk: access.risk } };
    })
    .sort((left, right) => left.rank - right.rank)
    .map(({ one }) => one);
}

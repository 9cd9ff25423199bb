/** A default that a replaced object was stays with its address, also where the manifests do not declare it. */
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import type { PlanContext } from '../context.ts';

/** The desired tree with such defaults; the same tree where there are none. */
export function followReplaced(context: PlanContext): DesiredTree {
  const changed = new Map<string, DesiredNode>();
  for (const [address, live] of context.replaced) {
    for (const above of [live.container, live.scope]) {
      const holder = holderOf(context, above);
      if (holder === undefined) continue;
      const desired = changed.get(holder.address) ?? holder.desired;
      const names = context
        .defaultFields(holder.live, live)
        .filter((name) => desired.fields[name] === undefined);
      if (names.length === 0) continue;
      const fields = Object.fromEntries(names.map((name) => [name, address]));
      changed.set(holder.address, { ...desired, fields: { ...desired.fields, ...fields } });
    }
  }
  if (changed.size === 0) return context.desired;
  const nodes = [...context.desired.nodes].map(
    ([address, node]) => [address, changed.get(address) ?? node] as const,
  );
  return context.desired.with({ nodes: new Map(nodes) });
}

/** A kept object that a manifest declares. */
function holderOf(context: PlanContext, ref: ObjectRef) {
  const address = context.matching.addressOf(ref);
  const live = context.live.get(ref);
  const desired = address === undefined ? undefined : context.desired.get(address);
  if (address === undefined || live === undefined || desired === undefined) return undefined;
  return context.fresh.has(address) ? undefined : { address, live, desired };
}

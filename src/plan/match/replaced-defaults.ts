/** References to a replaced object stay with its address, also where the manifests do not declare them. */
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { type ObjectRef, RefMap } from '../../tree/refs.ts';
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
  addOuterReferences(context, changed);
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

function addOuterReferences(context: PlanContext, changed: Map<string, DesiredNode>): void {
  for (const { address, name, target } of outerReferences(context)) {
    const desired = changed.get(address) ?? context.desired.get(address);
    if (desired !== undefined && desired.fields[name] === undefined)
      changed.set(address, { ...desired, fields: { ...desired.fields, [name]: target } });
  }
}

/** References from anywhere in the organization to objects that are replaced. */
function outerReferences(context: PlanContext) {
  if (context.replaced.size === 0) return [];
  const targets = new RefMap<string>();
  for (const [address, live] of context.replaced) targets.set(live, address);
  return context.live.nodes().flatMap((live) => {
    const address = context.matching.addressOf(live);
    if (address === undefined || context.fresh.has(address)) return [];
    return Object.entries(context.kindOf(live).fields).flatMap(([name, field]) => {
      const id = live.fields[name];
      if (field.type !== 'reference' || field.within !== 'organization' || typeof id !== 'string') return [];
      if (field.change !== undefined) return [];
      const target = field.kinds.flatMap((kind) => targets.get({ kind, id }) ?? [])[0];
      return target === undefined ? [] : [{ address, name, target }];
    });
  });
}

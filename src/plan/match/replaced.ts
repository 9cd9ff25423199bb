/** References to a replaced object stay with its address, also where the manifests do not declare them. */

import type { Field } from '../../kinds/field.ts';
import type { Value } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode } from '../../tree/live.ts';
import { type ObjectRef, RefMap } from '../../tree/refs.ts';
import { sameJson } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';

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

function outerReferences(context: PlanContext) {
  if (context.replaced.size === 0) return [];
  const targets = new RefMap<string>();
  for (const [address, live] of context.replaced) targets.set(live, address);
  return context.live.nodes().flatMap((live) => {
    const address = context.matching.addressOf(live);
    if (address === undefined || context.fresh.has(address)) return [];
    return Object.entries(context.kindOf(live).fields).flatMap(([name, field]) => {
      const id = live.fields[name];
      if (field.type !== 'reference' || field.within === 'descendants' || typeof id !== 'string') return [];
      if (field.change !== undefined) return [];
      const target = field.kinds.flatMap((kind) => targets.get({ kind, id }) ?? [])[0];
      return target === undefined ? [] : [{ address, name, target }];
    });
  });
}

export function carryOver(context: PlanContext): DesiredTree {
  if (context.replaced.size === 0) return context.desired;
  const nodes = [...context.desired.nodes].map(([address, node]) => {
    const live = context.fresh.has(address) ? context.matching.liveOf(address) : undefined;
    return [address, live === undefined ? node : withCarried(context, node, live)] as const;
  });
  return context.desired.with({ nodes: new Map(nodes) });
}

function withCarried(context: PlanContext, node: DesiredNode, live: LiveNode): DesiredNode {
  const values = Object.entries(context.kindOf(node).fields).flatMap(([name, field]) => {
    const value = isCarried(node, name, field) ? carriedValue(context, field, live.fields[name]) : undefined;
    // A value that the service gives every new object need not be sent.
    const isEmpty = value === undefined || value === null || value === '' || sameJson(value, field.absent);
    return isEmpty ? [] : [[name, value] as const];
  });
  if (values.length === 0) return node;
  const carried = values.map(([name]) => name);
  const ignore = node.lifecycle.ignore.filter((name) => !carried.includes(name));
  return {
    ...node,
    fields: { ...node.fields, ...Object.fromEntries(values) },
    lifecycle: { ...node.lifecycle, ignore },
    carried,
  };
}

function isCarried(node: DesiredNode, name: string, field: Field): boolean {
  if (node.whole === true || field.change === 'create' || field.carriedIf?.(node.fields) === false)
    return false;
  return node.fields[name] === undefined || node.lifecycle.ignore.includes(name);
}

/** References name declared objects by address, so that they follow objects that are created again. */
function carriedValue(context: PlanContext, field: Field, value: Value | undefined): Value | undefined {
  if (field.type !== 'reference') return field.type === 'members' || field.type === 'map' ? undefined : value;
  if (typeof value !== 'string') return undefined;
  if (field.literal?.(value) === true) return value;
  for (const kind of field.kinds) {
    const address = context.matching.addressOf({ kind, id: value });
    if (address !== undefined) return address;
  }
  return field.within === 'organization' ? { id: value } : undefined;
}

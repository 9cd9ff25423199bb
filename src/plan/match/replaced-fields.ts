/**
 * What a replaced object takes along into the new one: values that the manifests do not declare, or whose differences they
 * ignore, as far as a request can set them. Absent means "not managed", also where an object has to be made again; a site
 * that was private must not be public for want of a line. The same holds for everything inside the object.
 */
import type { Field } from '../../kinds/field.ts';
import type { Value } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode } from '../../tree/live.ts';
import { sameJson } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';

/** The desired tree with such values on its objects; the same tree where there are none. */
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
    // What the service gives every new object need not be sent.
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

/** References name declared objects by their address, so that they follow those that are made again. */
function carriedValue(context: PlanContext, field: Field, value: Value | undefined): Value | undefined {
  if (field.type !== 'reference') return field.type === 'members' || field.type === 'map' ? undefined : value;
  if (typeof value !== 'string') return undefined;
  for (const kind of field.kinds) {
    const address = context.matching.addressOf({ kind, id: value });
    if (address !== undefined) return address;
  }
  return field.within === 'organization' ? { id: value } : undefined;
}

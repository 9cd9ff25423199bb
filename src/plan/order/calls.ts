import { operations } from '../../contract/index.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Call, Payload } from '../../kinds/parts/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { isSameObject, type ObjectRef } from '../../tree/refs.ts';
import type { PlanContext } from '../context.ts';

export function trimCall(call: Call): Call {
  const { params } = operations[call.operation];
  const { params: known, ...rest } = call;
  return { ...rest, params: Object.fromEntries(params.map((name) => [name, known[name] ?? ''])) };
}

export function dereferenced(kind: Kind, name: string, before: Payload | undefined): readonly ObjectRef[] {
  const field = kind.fields[name];
  if (field?.type !== 'reference' || typeof before !== 'string') return [];
  return field.kinds.map((target) => ({ kind: target, id: before }));
}

/** Finds the object that a create also created, ignoring existing objects that may be moved next to it. */
export function findCall(context: PlanContext, desired: DesiredNode, find: Call): Call {
  const containers = context.desired.ancestorsOf(desired).map(({ address }) => context.liveOf(address));
  const except = context.live
    .ofKind(desired.kind)
    .filter((live) => containers.some((one) => one !== undefined && isSameObject(one, live.scope)))
    .map(({ id }) => id)
    .sort();
  return except.length === 0 ? find : { ...find, except };
}

/** Returns the call that finds the object, or the entry that shows it, after its container was created with it. */
export function createdAlong(
  context: PlanContext,
  desired: DesiredNode,
): { readonly container: DesiredNode; readonly find: Call } | undefined {
  const made = context.madeAlong.find(({ node, entry }) => node === desired || entry === desired);
  const list = made && context.registry.byName(made.entry.kind).reads.list;
  if (made === undefined || list === undefined) return undefined;
  const { node, entry, field, container } = made;
  const call = { operation: list.operation, params: context.callContext(entry).params };
  const shows = { find: { [`${field}.id`]: context.idOf(node.address) } };
  return { container, find: { ...call, ...(desired === node ? { find: {}, part: field } : shows) } };
}

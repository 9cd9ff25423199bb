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

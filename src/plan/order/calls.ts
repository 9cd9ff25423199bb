/** What steps need to know of the calls that a kind makes. */
import { operations } from '../../contract/index.ts';
import type { Kind, Unsupported } from '../../kinds/kind.ts';
import type { Call, Payload } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { isSameObject, type ObjectRef } from '../../tree/refs.ts';
import type { PlanContext } from '../context.ts';

/** The call with only the ids that its operation's path takes. */
export function trimCall(call: Call): Call {
  const { params } = operations[call.operation];
  const { params: known, ...rest } = call;
  return { ...rest, params: Object.fromEntries(params.map((name) => [name, known[name] ?? ''])) };
}

/** True for an answer that there is no such call. */
export function isUnsupported(value: object): value is Unsupported {
  return 'unsupported' in value;
}

/** The objects that a field stops referring to when its value changes. */
export function dereferenced(kind: Kind, name: string, before: Payload | undefined): readonly ObjectRef[] {
  const field = kind.fields[name];
  if (field?.type !== 'reference' || typeof before !== 'string') return [];
  return field.kinds.map((target) => ({ kind: target, id: before }));
}

/** Looks for what a create made along with its object, not for what is there already and may be moved beside it. */
export function findCall(context: PlanContext, desired: DesiredNode, find: Call): Call {
  const around = context.desired.ancestorsOf(desired).map(({ address }) => context.liveOf(address));
  const except = context.live
    .ofKind(desired.kind)
    .filter((live) => around.some((one) => one !== undefined && isSameObject(one, live.scope)))
    .map(({ id }) => id)
    .sort();
  return except.length === 0 ? find : { ...find, except };
}

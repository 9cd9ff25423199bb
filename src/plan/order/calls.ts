/** What steps need to know of the calls that a kind makes. */
import { operations } from '../../contract/index.ts';
import type { Kind, Unsupported } from '../../kinds/kind.ts';
import type { Call, Payload } from '../../kinds/payload.ts';
import type { ObjectRef } from '../../tree/refs.ts';

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

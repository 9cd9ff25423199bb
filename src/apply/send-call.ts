/** Sends one call of a step. A changing request is recorded in the journal before it is sent, and its outcome afterwards. */

import { type Api, ApiError, accepted } from '../contract/api.ts';
import { operations } from '../contract/index.ts';
import { type Call, type Id, mapOf, type Payload } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Step } from '../plan/plan.ts';
import type { ObjectRef } from '../tree/refs.ts';
import { defined } from '../util/defined.ts';
import { FileText } from '../util/file-text.ts';
import { isRecord, mapInside } from '../util/json.ts';
import { merged } from '../util/nested.ts';
import { Secret } from '../util/secret.ts';
import { asError } from '../util/user-error.ts';
import type { ApplyListener } from './events.ts';
import { JournalFailure } from './failures.ts';
import { deletedAnswer } from './gone.ts';

export interface Sending extends WithIds {
  readonly api: Api;
  readonly registry: Registry;
  readonly organization: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly onEvent?: ApplyListener | undefined;
  /** True if an object is older than the run. */
  readonly isOlder?: ((object: ObjectRef) => boolean) | undefined;
}

/** Returns the response, `accepted` or `gone`. Throws ApiError, or JournalFailure before the request is sent. */
export async function sendCall(context: Sending, step: Step, call: Call, index: number): Promise<unknown> {
  const params = fillParams(context, call.params);
  const body = call.body === undefined ? undefined : fill(context, call.body);
  const request = {
    params,
    ...(call.query === undefined ? {} : { query: fill(context, call.query) as Record<string, unknown> }),
    ...(body === undefined ? {} : { body: await whole(context, call, { params, body }) }),
  };
  const { onEvent, organization } = context;
  const send = async () => {
    const answer = await context.api
      .send(call.operation, request)
      .catch((error: unknown) => deletedAnswer(context, call.operation, { params, error }));
    if (step.phase === 'create' && index === 0) refuseOlder(context, { step, call, answer });
    return answer;
  };
  if (onEvent === undefined || operations[call.operation].method === 'GET') return send();
  const about = { organization, step: step.id, call: index, operation: call.operation, params };
  await onEvent({ type: 'request', ...about })?.catch((error: unknown) => {
    throw new JournalFailure(asError(error).message);
  });
  let answer: unknown;
  try {
    answer = await send();
  } catch (error) {
    const { mayHaveHappened = false, status } = error instanceof ApiError ? error : {};
    const outcome = mayHaveHappened ? 'unknown' : 'failed';
    onEvent({ type: 'response', ...about, outcome, ...defined({ status }) });
    throw error;
  }
  const id = step.phase === 'create' && index === 0 ? idIn(context, step, answer) : undefined;
  const outcome = answer === accepted ? 'pending' : 'done';
  onEvent({ type: 'response', ...about, outcome, ...defined({ id }) });
  return answer;
}

/** Facts of a response that no request sets. */
const facts = { object: null, updatedAt: null };

/** Merges the body into the object as it is now, which keeps changes by others. */
async function whole(
  { api }: Sending,
  { mergedInto }: Call,
  { params, body }: { readonly params: Readonly<Record<string, string>>; readonly body: unknown },
): Promise<unknown> {
  if (mergedInto === undefined) return body;
  return merged(merged(await api.send(mergedInto, { params }), facts), body);
}

/** If a cache or gateway mixes up responses, the run must not change, nor undo delete, another object. */
function refuseOlder(
  context: Sending,
  { step, call, answer }: { readonly step: Step; readonly call: Call; readonly answer: unknown },
): void {
  const id = idIn(context, step, answer);
  if (id === undefined || context.isOlder?.({ kind: step.kind, id }) !== true) return;
  const { method, path } = operations[call.operation];
  throw new ApiError(`${call.operation} returned the id of an older ${step.noun}, ${id}`, {
    type: 'response',
    operation: call.operation,
    method,
    path,
    attempt: 1,
    mayHaveHappened: true,
  });
}

function idIn({ registry }: Sending, { kind }: Step, answer: unknown): string | undefined {
  const id = isRecord(answer) ? registry.byName(kind).fromRemote(answer).id : '';
  return id === '' ? undefined : id;
}

interface WithIds {
  readonly ids: ReadonlyMap<string, string>;
}

/** Throws if an id is not known. */
export function fillParams(
  context: WithIds,
  params: Readonly<Record<string, Id>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([name, id]) => [name, fillId(context, id)]));
}

export function fillId(context: WithIds, id: Id): string {
  if (typeof id === 'string') return id;
  const known = context.ids.get(id.$id);
  if (known === undefined) throw new Error(`the id of ${id.$id} is unknown: the response did not contain it`);
  return known;
}

export function fill(context: WithIds, value: Payload): unknown {
  if (value instanceof Secret || value instanceof FileText) return value.reveal();
  const { $id, ...rest } = mapOf(value) ?? {};
  if (typeof $id === 'string' && Object.keys(rest).length === 0) return fillId(context, { $id });
  return mapInside(value, (inner) => fill(context, inner as Payload));
}

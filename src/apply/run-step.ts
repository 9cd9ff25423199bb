/** Runs one step: fills in ids and secrets, sends the calls one after the other, and checks each response. */

import { type Api, ApiError, accepted, forStep, hasStatus } from '../contract/api.ts';
import { operations } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import { type ContainerRef, isListed } from '../kinds/kind.ts';
import type { Call, Fields, Payload, Value } from '../kinds/parts/payload.ts';
import { isUpdate, type Step } from '../plan/plan.ts';
import { sameField } from '../tree/difference.ts';
import { desiredIdentity, identityValue } from '../tree/identity.ts';
import { hideKnownSecrets as hide } from '../util/hide-secrets.ts';
import { isRecord } from '../util/json.ts';
import { valueAt } from '../util/nested.ts';
import { holdsSecret } from '../util/secret.ts';
import { asError } from '../util/user-error.ts';
import type { CreateWatch } from './create-watch.ts';
import type { StoredValue } from './events.ts';
import { type ListParams, paramsOf } from './fresh-lists.ts';
import { gone } from './gone.ts';
import { LookUpList } from './look-ups.ts';
import type { RunIds } from './run-ids.ts';
import { fill, fillId, fillParams, type Sending, sendCall } from './send-call.ts';
import { storedIn } from './stored-value.ts';

export interface StepContext extends Sending {
  readonly ids: RunIds;
  readonly isInterrupted: () => boolean;
  /** The list in which objects that calls also created are looked up. Default: a new list. */
  readonly lookUps?: LookUpList;
  readonly creates?: CreateWatch | undefined;
  /** Called before the first request: returns changes by others to the object, or undefined. */
  readonly changed?: ((step: Step) => Promise<string | undefined>) | undefined;
  readonly onStored?: ((value: StoredValue) => void) | undefined;
  /** Called for each sent field of a response: `isShown` is false if the response lacks it. */
  readonly onShown?: ((step: Step, field: string, isShown: boolean) => void) | undefined;
}

/** A call succeeded, but its response has another value than the one sent. Dependents still run. */
export class NotStored extends Error {}

export class CallFailure extends Error {
  readonly call: Call;
  override readonly cause: Error;

  constructor(call: Call, cause: Error) {
    super(cause.message);
    this.name = 'CallFailure';
    this.call = call;
    this.cause = cause;
  }
}

/** Others changed the object during the run; the step was not sent. */
export class ChangedDuringRun extends Error {
  constructor(change: string) {
    super(`not sent, since others changed it during this run: ${change}`);
    this.name = 'ChangedDuringRun';
  }
}

/** How often a list is read for an object that must be in it; lists may lag behind a write. */
const findAttempts = 5;
const findDelay = 200;

/**
 * `held`: not sent, because another writer may have created the same object; `pending`: the service accepted a call that it
 * will apply later, and the following calls were not sent.
 */
export type StepEnding = 'sent' | 'notNeeded' | 'held' | 'pending';

/** Returns `notNeeded` if no request was needed. Throws a CallFailure for the first call that fails. */
export async function runStep(shared: StepContext, step: Step): Promise<StepEnding> {
  const context = {
    ...shared,
    api: patient(shared, forStep(shared.api, { organization: shared.organization, step: step.id })),
  };
  if (!(await mayCreate(context, step))) return 'held';
  // The service may turn the object to be deleted into the one to be created; that object must be kept.
  if (step.phase === 'delete' && context.ids.addressOf(step.liveId ?? '') !== undefined) return 'notNeeded';
  const changed = await context.changed?.(step);
  if (changed !== undefined) throw new ChangedDuringRun(changed);
  let result: StepEnding = 'notNeeded';
  let notTaken: CallFailure | undefined;
  for (const [index, call] of step.calls.entries()) {
    try {
      const answer = await answerTo(context, step, { call, index });
      if (answer === accepted) return 'pending';
      if (answer === gone) continue;
      result = 'sent';
      const flaw = settleAnswer(context, step, call, answer);
      if (flaw !== undefined) notTaken ??= new CallFailure(call, flaw);
      if (step.phase === 'create' && index === 0 && !(await isVisible(context, step))) return 'pending';
    } catch (error) {
      throw new CallFailure(call, hideSecrets(asError(error)));
    }
  }
  // The next read of the live state shows the value of a new object.
  if (notTaken !== undefined && step.phase !== 'create') throw notTaken;
  return result;
}

/** A service may not find for a moment an object that this run just created: calls of it are repeated for some seconds. */
function patient({ ids, sleep, isInterrupted }: StepContext, api: Api): Api {
  const again = async <T>(params: ListParams = {}, call: () => Promise<T>): Promise<T> => {
    const isNew = Object.values(params).some((id) => ids.addressOf(id) !== undefined);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        const isLast = !isNew || attempt >= findAttempts || !hasStatus(error, 404);
        if (!isLast) await sleep(findDelay * attempt);
        if (isLast || isInterrupted()) throw error;
      }
    }
  };
  return {
    all: (operation, input) => again(input.params, () => api.all(operation, input)),
    send: (operation, input) =>
      operations[operation].method === 'DELETE'
        ? api.send(operation, input)
        : again(input.params, () => api.send(operation, input)),
  };
}

/** Returns `gone` for a call that is not needed or whose object is already deleted. */
async function answerTo(
  context: StepContext,
  step: Step,
  { call, index }: { readonly call: Call; readonly index: number },
): Promise<unknown> {
  if (call.unlessPlaced !== undefined && (await isPlaced(context, step, call))) return gone;
  const isSent = call.part === undefined && Object.keys(call.find ?? {}).length === 0;
  const answer = isSent ? await sendCall(context, step, call, index) : await find(context, call);
  if (answer === accepted || answer === gone) return answer;
  const body = call.body === undefined ? undefined : fill(context, call.body);
  const { notDone } = context.registry.byName(step.kind).calls;
  const reason = notDone?.(answer, { operation: call.operation, body });
  if (reason !== undefined) throw new Error(reason);
  return answer;
}

/** Returns whether the object appeared, for kinds whose create is asynchronous. */
async function isVisible(context: StepContext, step: Step): Promise<boolean> {
  const kind = context.registry.byName(step.kind);
  const { createIsAsync } = kind.calls;
  const { search } = kind.reads;
  if (createIsAsync !== true || search === undefined) return true;
  const identity = kind.identity.by.find(({ field }) => field === search.field) ?? { field: search.field };
  const name = step.fields.find(({ field }) => field === search.field)?.after as Value;
  const wanted = desiredIdentity({ [search.field]: name }, identity);
  const params = paramsOf(fillParams(context, step.calls[0]?.params ?? {}), search.operation);
  for (let attempt = 1; attempt <= findAttempts; attempt += 1) {
    const items = await context.api.all(search.operation, { params, query: { [search.parameter]: name } });
    const remotes = items.map((item) => kind.fromRemote(item));
    const own = remotes.find(({ fields }) => identityValue(fields, identity) === wanted);
    if (own !== undefined) {
      context.ids.set(step.address, own.id);
      return true;
    }
    if (attempt < findAttempts) await context.sleep(findDelay * attempt);
  }
  return false;
}

async function mayCreate(context: StepContext, step: Step): Promise<boolean> {
  const [call] = step.calls;
  if (context.creates === undefined || step.phase !== 'create' || call === undefined) return true;
  try {
    return await context.creates.mayCreate({ step, params: fillParams(context, call.params) });
  } catch (error) {
    throw new CallFailure(call, hideSecrets(asError(error)));
  }
}

async function isPlaced(context: StepContext, step: Step, call: Call): Promise<boolean> {
  const { list: all } = context.registry.byName(step.kind).reads;
  const list = all?.places ?? all;
  if (list === undefined || call.unlessPlaced === undefined) return false;
  const params = fillParams(context, call.params);
  const items = await context.api.all(list.operation, { params: paramsOf(params, list.operation) });
  const { container, before, after } = call.unlessPlaced;
  const { idParam = '' } = context.registry.byName(list.per).identity;
  const top = { kind: list.per, id: params[idParam] ?? '' };
  const order = siblingsIn(context, step, { container, top, items });
  const own = context.ids.get(step.address) ?? step.liveId;
  const at = order.indexOf(nameOf(context, { kind: step.kind, id: own ?? '' }));
  if (at < 0) return false;
  if (before !== undefined) return order[at + 1] === nameOf(context, before);
  return after === undefined ? at === order.length - 1 : order[at - 1] === nameOf(context, after);
}

interface Siblings {
  readonly container: ContainerRef;
  readonly top: ContainerRef;
  readonly items: readonly unknown[];
}

/** Names of the listed objects directly inside a container, and of the containers of the others, in order. */
function siblingsIn(
  context: StepContext,
  step: Step,
  { container, top, items }: Siblings,
): readonly string[] {
  const kind = context.registry.byName(step.kind);
  const here = nameOf(context, container);
  if (kind.reads.list?.object !== undefined) {
    return items.flatMap((item) => {
      const own = context.registry.kinds.find(
        ({ reads: { list } }) => list !== undefined && isListed(list, item),
      );
      if (own === undefined) return [];
      const { id, container: inside = top } = own.fromRemote(item);
      return nameOf(context, inside) === here ? [nameOf(context, { kind: own.name, id })] : [];
    });
  }
  const names = items.map((item) => {
    const { id, container: inside = top } = kind.fromRemote(item);
    return nameOf(context, nameOf(context, inside) === here ? { kind: step.kind, id } : inside);
  });
  return names.filter((name, index) => name !== names[index - 1]);
}

function nameOf(context: StepContext, { kind, id }: ContainerRef): string {
  return `${kind} ${fillId(context, id)}`;
}

async function find(context: StepContext, call: Call): Promise<unknown> {
  const wanted = Object.entries(call.find ?? {}).map(([path, id]) => [path, fillId(context, id)]);
  const { operation } = call;
  const params = fillParams(context, call.params);
  const conditions = Object.fromEntries(wanted);
  const list = context.lookUps ?? new LookUpList();
  for (let attempt = 1; ; attempt += 1) {
    const items = await list.find(context.api, { operation, params, conditions, attempt });
    const { part } = call;
    const found = part === undefined ? items : items.map((item) => (isRecord(item) ? item[part] : item));
    const made = found.filter((item) => !(isRecord(item) && call.except?.includes(String(item.id)) === true));
    if (made.length === 1) return made[0];
    if (found.length === 1 && (call.except === undefined || attempt === findAttempts)) return found[0];
    if (made.length > 1)
      throw new Error('the created object cannot be distinguished from others; plan again');
    if (attempt === findAttempts) throw new Error('the created object is not listed; plan again');
    await context.sleep(findDelay * attempt);
  }
}

function settleAnswer(context: StepContext, step: Step, call: Call, answer: unknown): NotStored | undefined {
  if (!isRecord(answer)) return undefined;
  const kind = context.registry.byName(step.kind);
  if (step.phase === 'create' && call === step.calls[0]) {
    const { id } = kind.fromRemote(answer);
    if (id !== '') context.ids.set(step.address, id);
  }
  if (step.phase !== 'create' && !isUpdate(step) && step.phase !== 'vacate') return undefined;
  return notStoredIn(context, step, { call, taken: kind.fromRemote(answer).fields });
}

function notStoredIn(
  context: StepContext,
  step: Step,
  { call, taken }: { readonly call: Call; readonly taken: Fields },
): NotStored | undefined {
  const operation: Operation = operations[call.operation];
  if (call.body === undefined || operation.response === null) return undefined;
  const kind = context.registry.byName(step.kind);
  let flaw: NotStored | undefined;
  for (const { field: name, before } of step.fields) {
    const field = kind.fields[name];
    const sent = valueAt(call.body, name) as Payload | undefined;
    // The call replaces the whole object, so a field missing from the response does not exist.
    const got = taken[name] ?? (call.mergedInto === undefined ? undefined : null);
    if (field === undefined || sent === undefined) continue;
    const filled = fill(context, sent) as Value;
    const isExpected = field.detail === undefined && !sameField(field, filled, field.absent);
    if (got !== undefined || isExpected) context.onShown?.(step, name, got !== undefined);
    if (got === undefined) continue;
    const expected = filled === null || field.normalize === undefined ? filled : field.normalize(filled);
    if (sameField(field, expected, got)) continue;
    const stored = holdsSecret(sent)
      ? undefined
      : storedIn(field, { step, name, sent: filled, stored: got, before });
    if (stored !== undefined) {
      context.onStored?.({ ...stored, sent });
      continue;
    }
    flaw ??= notStored(name, sent, `sent ${JSON.stringify(filled)}, has ${JSON.stringify(got)}`);
  }
  return flaw;
}

function notStored(name: string, sent: Payload, values: string): NotStored {
  const ways = `write the stored value, or add lifecycle: { ignore: [${name}] }`;
  return new NotStored(
    hide(`the service did not store ${name}${holdsSecret(sent) ? '' : `: ${values}`}; ${ways}`),
  );
}

function hideSecrets(error: Error): Error {
  const message = hide(error.message);
  const serviceMessage = error instanceof ApiError ? error.serviceMessage : undefined;
  if (message === error.message && serviceMessage === undefined) return error;
  if (!(error instanceof ApiError)) return new Error(message);
  const hidden = { path: hide(error.path), serviceMessage: serviceMessage && hide(serviceMessage) };
  return new ApiError(message, { ...error, ...hidden });
}

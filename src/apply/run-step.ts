/** Runs one step: fills in ids and secrets, sends the calls one after the other, and checks each answer. */

import { ApiError, forStep } from '../contract/api.ts';
import { operations } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import type { ContainerRef } from '../kinds/kind.ts';
import type { Call, Fields, Value } from '../kinds/payload.ts';
import type { Step } from '../plan/plan.ts';
import { sameField } from '../tree/same-field.ts';
import { hideKnownSecrets as hide } from '../util/hide-secrets.ts';
import { isRecord } from '../util/json.ts';
import { Secret } from '../util/secret.ts';
import { asError } from '../util/user-error.ts';
import type { CreateWatch } from './create-watch.ts';
import { fill, fillId, fillParams } from './fill.ts';
import { LookUpList } from './look-ups.ts';
import type { RunIds } from './run-ids.ts';
import { type Sending, sendCall } from './send-call.ts';

/** What steps of one run share. */
export interface StepContext extends Sending {
  /** Ids of the objects that this run made, by address. */
  readonly ids: RunIds;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Where what was made along with others is looked for; a list of its own unless told. */
  readonly lookUps?: LookUpList;
  /** Asked before an object is created. */
  readonly creates?: CreateWatch | undefined;
}

/** A call of a step failed; carries the call for the summary. */
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

/** How often a list is read for an object that must be in it; lists may lag behind a write. */
const findAttempts = 5;
const findDelay = 200;

/** What became of a step that did not fail. `held`: nothing was sent, since somebody else may have done the same. */
export type StepEnding = 'sent' | 'notNeeded' | 'held';

/**
 * Sends the step's calls in order; says whether there was anything to send. Throws a CallFailure for the first that
 * fails.
 */
export async function runStep(shared: StepContext, step: Step): Promise<StepEnding> {
  const context = { ...shared, api: forStep(shared.api, step) };
  if (!(await mayCreate(context, step))) return 'held';
  // The service may turn an object that was to go into the one that was to be made; that one stays.
  if (step.phase === 'delete' && context.ids.addressOf(step.liveId ?? '') !== undefined) return 'notNeeded';
  let result: StepEnding = 'notNeeded';
  for (const [index, call] of step.calls.entries()) {
    try {
      if (call.unlessPlaced !== undefined && (await isPlaced(context, step, call))) continue;
      result = 'sent';
      const answer =
        call.find === undefined ? await sendCall(context, { step, call, index }) : await find(context, call);
      settleAnswer(context, step, call, answer);
    } catch (error) {
      const known = asError(error);
      throw new CallFailure(call, hideSecrets(known));
    }
  }
  return result;
}

/** False for a create that is like one of somebody else. */
async function mayCreate(context: StepContext, step: Step): Promise<boolean> {
  const [call] = step.calls;
  if (context.creates === undefined || step.phase !== 'create' || call === undefined) return true;
  try {
    return await context.creates.mayCreate({ step, params: fillParams(context, call.params) });
  } catch (error) {
    throw new CallFailure(call, hideSecrets(asError(error)));
  }
}

/** True when the list of the step's objects shows this one in its place already. */
async function isPlaced(context: StepContext, step: Step, call: Call): Promise<boolean> {
  const { list } = context.registry.byName(step.kind).reads;
  if (list === undefined || call.unlessPlaced === undefined) return false;
  const params = fillParams(context, call.params);
  const names: readonly string[] = operations[list.operation].params;
  const items = await context.api.all(list.operation, {
    params: Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name))),
  });
  const { container, before, after } = call.unlessPlaced;
  const { idParam = '' } = context.registry.byName(list.per);
  const top = { kind: list.per, id: params[idParam] ?? '' };
  const order = siblingsIn(context, step, { container, top, items });
  const own = context.ids.get(step.address) ?? step.liveId;
  const at = order.indexOf(nameOf(context, { kind: step.kind, id: own ?? '' }));
  if (at < 0) return false;
  if (before !== undefined) return order[at + 1] === nameOf(context, before);
  return after === undefined ? at === order.length - 1 : order[at - 1] === nameOf(context, after);
}

/** A list of what is inside an object, at any depth. */
interface Siblings {
  readonly container: ContainerRef;
  /** Where an item is that does not say what it is in. */
  readonly top: ContainerRef;
  readonly items: readonly unknown[];
}

/** What is directly inside a container, in order: listed objects, and the objects that hold listed ones. */
function siblingsIn(
  context: StepContext,
  step: Step,
  { container, top, items }: Siblings,
): readonly string[] {
  const kind = context.registry.byName(step.kind);
  const here = nameOf(context, container);
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
    const found = await list.find(context.api, { operation, params, conditions, attempt });
    const made = found.filter((item) => !(isRecord(item) && call.except?.includes(String(item.id)) === true));
    if (made.length === 1) return made[0];
    if (found.length === 1 && (call.except === undefined || attempt === findAttempts)) return found[0];
    if (made.length > 1)
      throw new Error('the object that was just made cannot be told from others; plan again');
    if (attempt === findAttempts) throw new Error('the object that was just made is not listed; plan again');
    await context.sleep(findDelay * attempt);
  }
}

/** Notes the id of a new object, and makes sure that the service took what was sent. */
function settleAnswer(context: StepContext, step: Step, call: Call, answer: unknown): void {
  if (!isRecord(answer)) return;
  const kind = context.registry.byName(step.kind);
  if (step.phase === 'create' && call === step.calls[0]) {
    const { id } = kind.fromRemote(answer);
    if (id !== '') context.ids.set(step.address, id);
  }
  if (step.phase === 'create' || step.phase === 'update' || step.phase === 'vacate') {
    checkTaken(context, step, { call, taken: kind.fromRemote(answer).fields });
  }
}

/** Throws where the response shows another value than the one that was sent. */
function checkTaken(
  context: StepContext,
  step: Step,
  { call, taken }: { readonly call: Call; readonly taken: Fields },
): void {
  const operation: Operation = operations[call.operation];
  if (call.body === undefined || operation.response === null) return;
  const kind = context.registry.byName(step.kind);
  for (const { field: name } of step.fields) {
    const field = kind.fields[name];
    const sent = call.body[name];
    const got = taken[name];
    if (field === undefined || sent === undefined || got === undefined) continue;
    const filled = fill(context, sent) as Value;
    const expected = filled === null || field.normalize === undefined ? filled : field.normalize(filled);
    if (sameField(field, expected, got)) continue;
    const shown =
      sent instanceof Secret ? '' : `: sent ${JSON.stringify(filled)}, has ${JSON.stringify(got)}`;
    throw new Error(`the service did not take ${name}${shown}`);
  }
}

/** The error with every secret of the run replaced. The same error where it holds none. */
function hideSecrets(error: Error): Error {
  if (
    hide(error.message) === error.message &&
    !(error instanceof ApiError && error.serviceMessage !== undefined)
  ) {
    return error;
  }
  if (!(error instanceof ApiError)) return new Error(hide(error.message));
  const { type, operation, method, path, status, serviceMessage, attempt, mayHaveHappened } = error;
  return new ApiError(hide(error.message), {
    type,
    operation,
    method,
    path: hide(path),
    status,
    serviceMessage: serviceMessage === undefined ? undefined : hide(serviceMessage),
    attempt,
    mayHaveHappened,
  });
}

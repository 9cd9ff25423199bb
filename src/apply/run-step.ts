/** Runs one step: fills in ids and secrets, sends the calls one after the other, and checks each response. */

import { accepted, forStep } from '../contract/api.ts';
import type { Call } from '../kinds/parts/payload.ts';
import { isUpdate, type Step } from '../plan/plan.ts';
import { isRecord } from '../util/json.ts';
import type { CreateWatch } from './create-watch.ts';
import { CallFailure, ChangedDuringRun, type NotStored } from './failures.ts';
import { gone } from './gone.ts';
import { findCreated, isVisible, type LookUpList, patient } from './new-objects.ts';
import { isPlaced } from './placing.ts';
import type { RunIds } from './run-ids.ts';
import { fill, sendCall } from './send-call.ts';
import { notStoredIn, type Storing } from './stored-value.ts';

export interface StepContext extends Storing {
  readonly ids: RunIds;
  readonly isInterrupted: () => boolean;
  /** The list in which objects that calls also created are looked up. Default: a new list. */
  readonly lookUps?: LookUpList;
  readonly creates?: CreateWatch | undefined;
  /** Called before the first request: returns changes by others to the object, or undefined. */
  readonly changed?: ((step: Step) => Promise<string | undefined>) | undefined;
}

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
  // The service may turn the object to be deleted into the one to be created; that object must be kept.
  if (step.phase === 'delete' && context.ids.addressOf(step.liveId ?? '') !== undefined) return 'notNeeded';
  if (step.phase === 'create' && (await context.creates?.mayCreate(step)) === false) return 'held';
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
      throw new CallFailure(call, error);
    }
  }
  // The next read of the live state shows the value of a new object.
  if (notTaken !== undefined && step.phase !== 'create') throw notTaken;
  return result;
}

/** Returns `gone` for a call that is not needed or whose object is already deleted. */
async function answerTo(
  context: StepContext,
  step: Step,
  { call, index }: { readonly call: Call; readonly index: number },
): Promise<unknown> {
  if (call.unlessPlaced !== undefined && (await isPlaced(context, step, call))) return gone;
  const isSent = call.part === undefined && Object.keys(call.find ?? {}).length === 0;
  const answer = isSent ? await sendCall(context, step, call, index) : await findCreated(context, call);
  if (answer === accepted || answer === gone) return answer;
  const body = call.body === undefined ? undefined : fill(context, call.body);
  const { notDone } = context.registry.byName(step.kind).calls;
  const reason = notDone?.(answer, { operation: call.operation, body });
  if (reason !== undefined) throw new Error(reason);
  return answer;
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

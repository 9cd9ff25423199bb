/** Sends one call of a step. What changes something is in the journal before it is sent, and so is what came of it. */

import { type Api, ApiError } from '../contract/api.ts';
import { operations } from '../contract/index.ts';
import type { Call } from '../kinds/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Step } from '../plan/plan.ts';
import { isRecord } from '../util/json.ts';
import { asError } from '../util/user-error.ts';
import { fill, fillParams, type KnownIds } from './fill.ts';
import type { ApplyJournal, JournalRequest } from './journal.ts';

/** What sending needs. */
export interface Sending extends KnownIds {
  readonly api: Api;
  readonly registry: Registry;
  /** The label of the organization. */
  readonly organization: string;
  /** Where requests are written down before they are sent. */
  readonly journal?: ApplyJournal | undefined;
}

/** One call of a step. */
export interface StepCall {
  readonly step: Step;
  readonly call: Call;
  /** Which of the step's calls, from 0. */
  readonly index: number;
}

/** The request could not be written down, and was not sent. */
export class JournalFailure extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super(cause.message);
    this.name = 'JournalFailure';
    this.cause = cause;
  }
}

/** Sends the call and gives the response. Throws ApiError, or JournalFailure before anything is sent. */
export async function sendCall(context: Sending, { step, call, index }: StepCall): Promise<unknown> {
  const params = fillParams(context, call.params);
  const request = {
    params,
    ...(call.query === undefined ? {} : { query: fill(context, call.query) as Record<string, unknown> }),
    ...(call.body === undefined ? {} : { body: fill(context, call.body) }),
  };
  const { journal, api, organization } = context;
  if (journal === undefined || operations[call.operation].method === 'GET')
    return api.send(call.operation, request);
  const entry: JournalRequest = {
    organization,
    step: step.id,
    call: index,
    operation: call.operation,
    params,
  };
  await written(journal, entry);
  try {
    const answer = await api.send(call.operation, request);
    const id = step.phase === 'create' && index === 0 ? idIn(context, step, answer) : undefined;
    journal.response({ ...entry, outcome: 'done', ...(id === undefined ? {} : { id }) });
    return answer;
  } catch (error) {
    const known = error instanceof ApiError ? error : undefined;
    journal.response({
      ...entry,
      outcome: known?.mayHaveHappened === true ? 'unknown' : 'failed',
      ...(known?.status === undefined ? {} : { status: known.status }),
    });
    throw error;
  }
}

async function written(journal: ApplyJournal, entry: JournalRequest): Promise<void> {
  try {
    await journal.request(entry);
  } catch (error) {
    throw new JournalFailure(asError(error));
  }
}

function idIn({ registry }: Sending, { kind }: Step, answer: unknown): string | undefined {
  const id = isRecord(answer) ? registry.byName(kind).fromRemote(answer).id : '';
  return id === '' ? undefined : id;
}

/**
 * Events of an apply, as data without secrets. Journals keep them, `--format ndjson` prints them; progress, the JSON of a run, history
 * and undo are made from them.
 */
import * as z from 'zod';
import { ApiError } from '../contract/api.ts';
import { once } from '../contract/once.ts';
import { type Call, callSchema, type Payload } from '../kinds/parts/payload.ts';
import { organizationPlanSchema, type Step } from '../plan/plan.ts';
import { byName, each, object } from '../util/data-schema.ts';
import { defined } from '../util/defined.ts';
import { hideKnownSecrets } from '../util/hide-secrets.ts';
import type { Duplicate } from './duplicates.ts';

const text = z.string();

/** How a step ended; events, journals and reports use these words. `unknown`: failed, and it may have taken effect. */
export const stepOutcome = once(() =>
  z.enum(['done', 'pending', 'satisfied', 'failed', 'unknown', 'skipped', 'notStarted']),
);

export type StepOutcome = z.infer<ReturnType<typeof stepOutcome>>;

export type Outcome =
  | { readonly type: 'done'; readonly step: Step }
  | {
      readonly type: 'failed' | 'unknown';
      readonly step: Step;
      readonly error: Error;
      readonly call?: Call;
    }
  | { readonly type: 'skipped'; readonly step: Step; readonly because: string }
  | { readonly type: 'notStarted'; readonly step: Step }
  /** The service accepted the request but has not applied it yet, for example because people decide. */
  | { readonly type: 'pending'; readonly step: Step }
  /** The change was already in effect when the apply began or the step was reached. */
  | { readonly type: 'satisfied'; readonly step: Step };

export type FailedStep = Extract<Outcome, { error: Error }>;

/** True if it may have taken effect, too. */
export function isFailed(outcome: Outcome | undefined): outcome is FailedStep {
  return outcome !== undefined && 'error' in outcome;
}

/** A value that the service accepted and stores in another form. */
export interface StoredValue {
  readonly step: Step;
  readonly field: string;
  readonly sent: Payload;
  /** Undefined if no response shows the field. */
  readonly stored: Payload | undefined;
  /** Of the stored value, if its letters differ from those sent: a clause. */
  readonly risk?: string;
}

/** How a step ended, apart from its outcome. */
export const stepEnding = {
  because: text.exactOptional().describe('Of a skipped step: the step that was not done, as address#phase'),
  id: text.exactOptional().describe('Id of the object that the step created or found'),
  error: object({
    message: text,
    ...each(text.exactOptional(), 'operation', 'method', 'path'),
    status: z.int().exactOptional(),
  }).exactOptional(),
};

const ofStep = { organization: text.describe('Label of the organization'), step: text };

export const applyEventSchema = once(() => {
  const request = {
    ...ofStep,
    call: z.number().describe('Number of the call within the step, from 0'),
    operation: callSchema().unwrap().shape.operation,
    params: byName(text),
  };
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('start'), ...ofStep }),
    z
      .object({ type: z.literal('request'), ...request })
      .describe(
        'A request that changes something, before it is sent; without its body, which may contain secrets',
      ),
    z.object({
      type: z.literal('response'),
      ...request,
      outcome: stepOutcome().extract(['done', 'pending', 'failed', 'unknown']),
      status: z.number().exactOptional(),
      id: text.exactOptional().describe('Id of the object that the request created'),
    }),
    z
      .object({
        type: z.literal('step'),
        ...ofStep,
        outcome: stepOutcome(),
        final: z.boolean().describe('False if the live state is read again, which may give another outcome'),
        ...stepEnding,
      })
      .describe('The end of a step'),
    z
      .object({
        type: z.literal('otherWriter'),
        organization: ofStep.organization,
        ...each(text, 'address', 'id'),
      })
      .describe(
        'Someone else created an object that this run was about to create: the live state is read again',
      ),
    z
      .object({
        type: z.literal('round'),
        organization: ofStep.organization,
        round: z.number(),
        steps: organizationPlanSchema().unwrap().shape.steps,
      })
      .describe('The live state was read again; these steps still differ and are applied now'),
  ]);
});

export type ApplyEvent = z.infer<ReturnType<typeof applyEventSchema>>;

/** A request is sent once the promise resolves, if there is one; other events are not waited for. */
export type ApplyListener = (event: ApplyEvent) => Promise<void> | undefined;

type StepEnd = Extract<ApplyEvent, { type: 'step' }>;

export function endOf(outcome: Outcome): Pick<StepEnd, 'step' | 'outcome' | 'because' | 'error'> {
  return {
    step: outcome.step.id,
    outcome: outcome.type,
    ...(outcome.type === 'skipped' && { because: outcome.because }),
    ...(isFailed(outcome) && { error: errorOf(outcome.error) }),
  };
}

function errorOf(error: Error): StepEnd['error'] & object {
  const message = hideKnownSecrets(error.message);
  if (!(error instanceof ApiError)) return { message };
  const { operation, method, path, status } = error;
  return { message, operation, method, path: hideKnownSecrets(path), ...defined({ status }) };
}

export interface OrganizationResult {
  readonly label: string;
  readonly steps: readonly Step[];
  /** Outcomes of all steps, in the order in which they ended; later rounds follow. */
  readonly outcomes: readonly Outcome[];
  /** Steps that the last read of the live state still requires and that were not attempted. */
  readonly leftover: readonly Step[];
  readonly made: ReadonlyMap<string, string>;
  /** Values that the service stores in another form; they are not sent again. */
  readonly stored: readonly StoredValue[];
  readonly duplicates: readonly Duplicate[];
  /** Why the state could not be read again after the changes. */
  readonly unread?: Error;
}

/**
 * `interrupted`: by a person or a signal; `unavailable`: the service stopped answering or fails all writes; `token`: it does not accept
 * the token; `permission`: it forbids all writes; `other-writer`: an object of this run exists twice, so another run is active;
 * `journal`: the next request cannot be recorded; `lock`: another run may hold the lock.
 */
export interface StopReason {
  readonly type: 'interrupted' | 'unavailable' | 'token' | 'permission' | 'other-writer' | 'journal' | 'lock';
  /** A clause for people, without a final period. */
  readonly message: string;
}

export interface ApplyResult {
  readonly organizations: readonly OrganizationResult[];
  readonly interrupted: boolean;
  readonly unjournaled?: string;
  readonly stopped?: StopReason;
}

export function isComplete(result: ApplyResult): boolean {
  return (
    !result.interrupted &&
    result.organizations.every(
      ({ outcomes, leftover, duplicates, unread }) =>
        unread === undefined &&
        leftover.length === 0 &&
        duplicates.length === 0 &&
        outcomes.every(({ type }) => type === 'done' || type === 'satisfied' || type === 'pending'),
    )
  );
}

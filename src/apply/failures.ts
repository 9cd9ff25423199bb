/** Ways in which a step fails, apart from errors of the service. */

import { ApiError } from '../contract/api.ts';
import type { Call } from '../kinds/parts/payload.ts';
import { hideKnownSecrets as hide } from '../util/hide-secrets.ts';
import { asError } from '../util/user-error.ts';

/** A call failed with the cause, which shows no secrets. */
export class CallFailure extends Error {
  readonly call: Call;
  override readonly cause: Error;

  constructor(call: Call, error: unknown) {
    const cause = withoutSecrets(asError(error));
    super(cause.message);
    this.name = 'CallFailure';
    this.call = call;
    this.cause = cause;
  }
}

/** A call succeeded, but its response has another value than the one sent. Dependents still run. */
export class NotStored extends Error {}

/** Others changed the object during the run; the step was not sent. */
export class ChangedDuringRun extends Error {
  constructor(change: string) {
    super(`not sent, since others changed it during this run: ${change}`);
    this.name = 'ChangedDuringRun';
  }
}

/** The request could not be recorded, and was not sent. */
export class JournalFailure extends Error {}

function withoutSecrets(error: Error): Error {
  const message = hide(error.message);
  const serviceMessage = error instanceof ApiError ? error.serviceMessage : undefined;
  if (message === error.message && serviceMessage === undefined) return error;
  if (!(error instanceof ApiError)) return new Error(message);
  const hidden = { path: hide(error.path), serviceMessage: serviceMessage && hide(serviceMessage) };
  return new ApiError(message, { ...error, ...hidden });
}

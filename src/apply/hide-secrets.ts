/** Takes secrets out of failures: a service may repeat in its answer what was sent to it. */
import { ApiError } from '../contract/api.ts';
import { hideKnownSecrets as hide } from '../util/hide-secrets.ts';

/** The error with every secret of the run replaced. The same error where it holds none. */
export function hideSecrets(error: Error): Error {
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

/** Takes secrets out of failures: a service may repeat in its answer what was sent to it. */
import { ApiError } from '../contract/api.ts';
import type { Payload } from '../kinds/payload.ts';
import { Secret } from '../util/secret.ts';

/** The error with every secret of the payload replaced. The same error where it holds none. */
export function hideSecrets(error: Error, sent: Payload | undefined): Error {
  const values = secretsIn(sent).flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const hide = (text: string) => values.reduce((shown, value) => shown.replaceAll(value, '(secret)'), text);
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

/** Longest first, so that no part of one is left when another is taken out. */
function secretsIn(value: Payload | undefined): readonly string[] {
  const found = new Set<string>();
  const visit = (inner: unknown): void => {
    if (inner instanceof Secret) found.add(inner.reveal());
    else if (typeof inner === 'object' && inner !== null) Object.values(inner).forEach(visit);
  };
  visit(value);
  return [...found].filter((text) => text !== '').sort((left, right) => right.length - left.length);
}

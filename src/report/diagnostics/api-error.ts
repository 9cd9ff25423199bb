import type { ApiError } from '../../contract/api.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { safeText } from '../text/safe-text.ts';

export function apiErrorDiagnostic(error: ApiError): Diagnostic {
  const suggestion = suggestionFor(error);
  return {
    severity: 'error',
    code: `api-${error.type}`,
    message: safeText(error.message),
    ...(error.attempt > 0 ? { related: [{ message: requestText(error) }] } : {}),
    ...defined({ suggestion }),
  };
}

/** The request, for example `GET /v1/orgs, 5 attempts`. */
export function requestText({ method, path, attempt }: ApiError): string {
  return safeText(`${method} ${path}${attempt > 1 ? `, ${attempt} attempts` : ''}`);
}

function suggestionFor({ type, status }: ApiError): string | undefined {
  if (type === 'connection' || type === 'timeout') {
    return 'check that the service is running and that the base URL is the address before /v1';
  }
  if (type === 'response')
    return 'check that the base URL is the address of the API, and that no proxy responds in its place';
  if (status === 401) return 'the service does not accept the token: check OCTAVO_TOKEN or the token file';
  if (status === 403) return 'the token lacks permission: use the token of an organization admin';
  if (status === 404) return 'check the ids in the manifests, and that the token can see the organization';
  if (status === 429) return 'try again later, or with a smaller --parallelism';
  if (status !== undefined && status >= 500) return 'the service has a problem: try again later';
  return undefined;
}

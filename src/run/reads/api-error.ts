import { type ApiError, requestOf } from '../../contract/api.ts';
import type { OperationId } from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';

export function apiErrorDiagnostic(error: ApiError): Diagnostic {
  const suggestion = suggestionFor(error);
  return {
    severity: 'error',
    code: `api-${error.type}`,
    message: error.message,
    ...(error.attempt > 0 && error.operation !== requestOf(error)
      ? { related: [{ message: requestOf(error) }] }
      : {}),
    ...defined({ suggestion }),
  };
}

/** Newer services restrict these to their own programs. */
const internal: ReadonlySet<string> = new Set<OperationId>(['emailDomains.listOrgs']);

/** Example: `site:permissions:write`, as services name it. */
const scope = /\b(?:organization|space|site|openapi|integration|change-request)(?::[a-z-]+)+\b/;

/** Help for a failed TLS connection, by its cause; the first one whose text fits. */
const tlsHelp: readonly (readonly [RegExp, string])[] = [
  [/expired|not yet valid/i, 'renew the certificate of the service, and check the clock of this machine'],
  [/does not match certificate/i, 'use a host name of the certificate in the base URL'],
  [/wrong version|packet length|alert/i, 'check the port of the base URL: it may speak plain HTTP'],
  [/./, 'set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the authority that signed it'],
];

function suggestionFor({ type, status, operation, serviceMessage, message }: ApiError): string | undefined {
  if ((status === 401 || status === 403) && internal.has(operation))
    return 'newer services allow no user token to do this';
  const [, failure] = /TLS connection to \S+ failed: (.+)/.exec(message) ?? [];
  if (failure !== undefined) return tlsHelp.find(([cause]) => cause.test(failure))?.[1];
  if (type === 'connection' || type === 'timeout') {
    return 'check that the service is running and that the base URL is the address before /v1';
  }
  if (type === 'response' || type === 'shape')
    return 'check that the base URL is the address of the API, and that no proxy responds in its place';
  if (status === 401) return 'the service does not accept the token: check OCTAVO_TOKEN or the token file';
  const [missing] = (status === 403 ? scope.exec(serviceMessage ?? '') : null) ?? [];
  if (missing !== undefined)
    return `the token lacks the scope ${missing}: issue one with it, or use a personal token`;
  if (status === 403) return 'the token lacks permission: use the token of an organization admin';
  if (status === 404) return 'check the ids in the manifests, and that the token can see the organization';
  if (status === 429) return 'try again later, or with a smaller --parallelism';
  if (status !== undefined && status >= 500) return 'the service has a problem: try again later';
  return undefined;
}

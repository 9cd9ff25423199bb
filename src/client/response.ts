/** Turns a response into a body that matches the contract, or one clear error. Pure. */
import { ApiError, type ApiErrorDetails, type ApiErrorType, accepted } from '../contract/api.ts';
import { parsedJson } from '../util/json.ts';
import { issuePlace, lowerFirst, type PreparedRequest } from './request.ts';
import type { Fault } from './retry.ts';
import { clean, looksLikeHtml, serviceMessage } from './service-message.ts';
import type { RawResponse, TransportError } from './transport.ts';

export interface ResponseContext {
  readonly request: PreparedRequest;
  readonly attempt: number;
  readonly address: string;
  readonly token: string;
}

/**
 * Returns the checked body of a successful response, undefined if success has no content, or `accepted` for a pending change.
 *
 * @throws ApiError of type `response` if the body does not match the contract.
 */
export function readBody(context: ResponseContext, response: RawResponse): unknown {
  const { operation, id } = context.request;
  const isQueued = response.status === 202 && operation.method !== 'GET';
  if (isQueued && operation.mayPend === true) return accepted;
  const fail = (problem: string, type: ApiErrorType = 'response') =>
    apiError(context, `${id} returned ${response.status} ${problem}`, {
      type,
      status: response.status,
      mayHaveHappened: operation.method !== 'GET',
    });
  if (operation.response === null) {
    if (isQueued) throw fail('(accepted): nothing confirms that it was done');
    return undefined;
  }
  if (response.body.trim() === '') {
    if (operation.response.safeParse(undefined).success) return undefined;
    throw fail('with an empty body where JSON was expected');
  }
  if (looksLikeHtml(response.body)) {
    const title = serviceMessage(response.body, [context.token]);
    throw fail(
      `with a web page${title === undefined ? '' : ` (${title})`} where JSON was expected: ` +
        `is ${context.address} the address of the API?`,
    );
  }
  const value = parsedJson(response.body);
  if (value === undefined) {
    throw fail(
      `with JSON that is cut short or damaged (${Buffer.byteLength(response.body)} bytes, ` +
        `ending in ${JSON.stringify(clean(response.body.slice(-20), [context.token]))})`,
    );
  }
  const parsed = operation.response.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue === undefined ? '' : issuePlace('', issue.path);
  throw fail(
    `with a body that does not match the API: ${place === '' ? 'the body' : place}: ` +
      `${lowerFirst(issue?.message ?? 'not as documented')}`,
    'shape',
  );
}

export function statusError(context: ResponseContext, response: RawResponse): ApiError {
  const { id, operation } = context.request;
  const { status } = response;
  if (status >= 300 && status < 400) {
    const location = clean(redirectTarget(response.header('location'), context.address), [context.token]);
    return apiError(
      context,
      `${id} returned ${status}, a redirect${location === '' ? '' : ` to ${location}`}; ` +
        'redirects are not followed: set the base URL to the final address',
      { type: 'status', status, mayHaveHappened: false },
    );
  }
  const said = serviceMessage(response.body, [context.token]);
  return apiError(context, `${id} failed with status ${status}${said === undefined ? '' : `: ${said}`}`, {
    type: 'status',
    status,
    serviceMessage: said,
    mayHaveHappened: operation.method !== 'GET' && (status >= 500 || status === 408),
  });
}

export function apiError(
  context: ResponseContext,
  message: string,
  details: Omit<ApiErrorDetails, 'operation' | 'method' | 'path' | 'attempt'>,
): ApiError {
  const { request, attempt, token } = context;
  const safe = token.length >= 4 ? message.replaceAll(token, '(token)') : message;
  return new ApiError(safe, {
    ...details,
    operation: request.id,
    method: request.operation.method,
    path: request.path,
    attempt,
  });
}

export function transportFailure(context: ResponseContext, error: TransportError): ApiError {
  const { request } = context;
  const message =
    error.type === 'cancelled'
      ? `${request.id} was interrupted in flight`
      : `${request.id} failed: ${error.message}`;
  const mayHaveHappened = request.operation.method !== 'GET' && !error.fault.unsent;
  return apiError(context, message, { type: error.type, mayHaveHappened });
}

/** The error that ends a request, with possible effects of earlier attempts and the requested delay. */
export function finalError(
  error: ApiError,
  more: { readonly context: ResponseContext; readonly fault: Fault; readonly mayHaveHappened: boolean },
): ApiError {
  const asked = more.fault.retryAfterMs;
  const wait =
    asked === undefined || asked < 1000 ? '' : ` (the service asks to wait ${Math.ceil(asked / 1000)} s)`;
  return apiError(more.context, `${error.message}${wait}`, {
    type: error.type,
    status: error.status,
    serviceMessage: error.serviceMessage,
    mayHaveHappened: more.mayHaveHappened,
  });
}

/** Returns origin and path. The query may contain text that must not be logged. */
function redirectTarget(location: string | undefined, address: string): string {
  if (location === undefined || !URL.canParse(location, address)) return '';
  const { origin, pathname } = new URL(location, address);
  return `${origin}${pathname}`;
}

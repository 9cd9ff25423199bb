/** Judges answers: success with a body that the contract knows, or one clear error. Pure. */
import { ApiError, type ApiErrorType } from '../contract/api.ts';
import { issuePlace, lowerFirst, type PreparedRequest } from './request.ts';
import type { Fault } from './retry.ts';
import { clean, looksLikeHtml, serviceMessage } from './service-message.ts';
import type { RawAnswer, TransportError } from './transport.ts';

/** What judging an answer needs beside it. */
export interface AnswerContext {
  readonly request: PreparedRequest;
  readonly attempt: number;
  /** The address that requests go to, for messages. */
  readonly address: string;
  readonly token: string;
}

/** True for 2xx, and for the 404 of a delete: it is gone, which is what was asked for. */
export function isSuccess(request: PreparedRequest, status: number): boolean {
  return (status >= 200 && status < 300) || (status === 404 && request.operation.method === 'DELETE');
}

/**
 * The checked body of a successful answer; undefined where success has no content.
 *
 * @throws ApiError of type `answer` when the body is not what the contract says.
 */
export function readBody(context: AnswerContext, answer: RawAnswer): unknown {
  const { operation, id } = context.request;
  if (operation.response === null) return undefined;
  const fail = (problem: string) =>
    apiError(context, `${id} answered ${answer.status} ${problem}`, {
      type: 'answer',
      status: answer.status,
      mayHaveHappened: operation.method !== 'GET',
    });
  if (answer.body.trim() === '') throw fail('with an empty body where JSON was expected');
  if (looksLikeHtml(answer.body)) {
    const title = serviceMessage(answer.body, [context.token]);
    throw fail(
      `with a web page${title === undefined ? '' : ` (${title})`} where JSON was expected: ` +
        `is ${context.address} the address of the API?`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(answer.body);
  } catch {
    throw fail(
      `with JSON that is cut short or damaged (${Buffer.byteLength(answer.body)} bytes, ` +
        `ending in ${JSON.stringify(clean(answer.body.slice(-20), [context.token]))})`,
    );
  }
  const parsed = operation.response.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue === undefined ? '' : issuePlace('', issue.path);
  throw fail(
    `with something else than the API documents: ${place === '' ? 'the body' : place}: ` +
      `${lowerFirst(issue?.message ?? 'not as documented')}`,
  );
}

/** The error of an answer whose status is a failure. */
export function statusError(context: AnswerContext, answer: RawAnswer): ApiError {
  const { id, operation } = context.request;
  const { status } = answer;
  if (status >= 300 && status < 400) {
    const location = clean(redirectTarget(answer.header('location'), context.address), [context.token]);
    return apiError(
      context,
      `${id} answered ${status}, a redirect${location === '' ? '' : ` to ${location}`}; ` +
        'redirects are not followed: give the final address as the base URL',
      { type: 'status', status, mayHaveHappened: false },
    );
  }
  const said = serviceMessage(answer.body, [context.token]);
  return apiError(context, `${id} failed with status ${status}${said === undefined ? '' : `: ${said}`}`, {
    type: 'status',
    status,
    serviceMessage: said,
    mayHaveHappened: operation.method !== 'GET' && (status >= 500 || status === 408),
  });
}

/** An ApiError with what is known of the request. The token is taken out of the message. */
export function apiError(
  context: AnswerContext,
  message: string,
  details: {
    readonly type: ApiErrorType;
    readonly status?: number | undefined;
    readonly serviceMessage?: string | undefined;
    readonly mayHaveHappened: boolean;
  },
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

/** The error of an exchange that brought no whole answer. */
export function transportFailure(context: AnswerContext, error: TransportError): ApiError {
  const { request } = context;
  const message =
    error.type === 'cancelled'
      ? `${request.id} was interrupted while it was under way`
      : `${request.id} failed: ${error.message}`;
  const mayHaveHappened = request.operation.method !== 'GET' && !error.fault.unsent;
  return apiError(context, message, { type: error.type, mayHaveHappened });
}

/** The error that ends a request: with what earlier attempts may have done, and what the service asked for. */
export function finalError(
  error: ApiError,
  more: { readonly context: AnswerContext; readonly fault: Fault; readonly mayHaveHappened: boolean },
): ApiError {
  const asked = more.fault.retryAfterMs;
  const wait = asked === undefined || asked < 1000 ? '' : ` (it asks to wait ${Math.ceil(asked / 1000)} s)`;
  return apiError(more.context, `${error.message}${wait}`, {
    type: error.type,
    status: error.status,
    serviceMessage: error.serviceMessage,
    mayHaveHappened: more.mayHaveHappened,
  });
}

/** Origin and path of a redirect; the query may hold what is not meant for logs. */
function redirectTarget(location: string | undefined, address: string): string {
  if (location === undefined || !URL.canParse(location, address)) return '';
  const { origin, pathname } = new URL(location, address);
  return `${origin}${pathname}`;
}

/**
 * How the layers above the contract reach a service: an interface that the client implements, and the one error of a
 * request.
 */
import { type Operation, type OperationId, operationOf } from './index.ts';

/** Input of a request: path parameters, query and body, by the names of the contract. */
export interface ApiInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The step that the request belongs to, for logs and reports; never sent. */
  readonly step?: StepMark;
}

/** The step of a plan that a request belongs to. */
export interface StepMark {
  readonly address: string;
}

/** In place of a response: the service took the request (202) and has not done it, for example because people decide first. */
export const accepted = Symbol('accepted');

/** An operation that the contract does not list, or one that is not checked against it: sent as it was typed. */
export interface Unlisted {
  /** Method and path, for messages. */
  readonly id: string;
  readonly operation: Operation;
}

/** The operation of that name, or the one that was passed in. */
export function unlisted(named: OperationId | Unlisted): Unlisted {
  return typeof named === 'string' ? { id: named, operation: operationOf(named) } : named;
}

/** Sends operations to a service. Every failure is an `ApiError`. */
export interface Api {
  /** Sends one request and returns the checked body of the response (undefined if success has no content), or `accepted`. */
  send(operation: OperationId, input: ApiInput): Promise<unknown>;
  /** Reads all pages of a paged operation and returns the items in order. */
  all(operation: OperationId, input: ApiInput): Promise<readonly unknown[]>;
}

/**
 * Why a request failed. `status`: the service responded with a failure; `connection`: no connection or it broke;
 * `timeout`: no response in time; `response`: a response that cannot be read or is too large; `shape`: JSON that does not fit the contract;
 * `input`: the request itself does not fit the contract and was never sent; `cancelled`: interrupted by the user.
 */
export type ApiErrorType = 'status' | 'connection' | 'timeout' | 'response' | 'shape' | 'input' | 'cancelled';

/** A failed request, with everything that a person needs to act on it and nothing secret. */
export class ApiError extends Error {
  readonly type: ApiErrorType;
  /** Its name, or method and path where it has none. */
  readonly operation: string;
  readonly method: string;
  /** Path with ids filled in, without the query. */
  readonly path: string;
  readonly status: number | undefined;
  /** The service's own message, if any; control characters removed, at most a few lines. */
  readonly serviceMessage: string | undefined;
  /** Number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** The service may still have carried out the request. */
  readonly mayHaveHappened: boolean;

  constructor(
    message: string,
    details: {
      readonly type: ApiErrorType;
      readonly operation: string;
      readonly method: string;
      readonly path: string;
      readonly status?: number | undefined;
      readonly serviceMessage?: string | undefined;
      readonly attempt: number;
      readonly mayHaveHappened: boolean;
    },
  ) {
    super(message);
    this.name = 'ApiError';
    this.type = details.type;
    this.operation = details.operation;
    this.method = details.method;
    this.path = details.path;
    this.status = details.status;
    this.serviceMessage = details.serviceMessage;
    this.attempt = details.attempt;
    this.mayHaveHappened = details.mayHaveHappened;
  }
}

/** The service rejected the request with this status. */
export function hasStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

/** The same service; every request carries the step that it belongs to. */
export function forStep(api: Api, step: StepMark): Api {
  return {
    send: (operation, input) => api.send(operation, { ...input, step }),
    all: (operation, input) => api.all(operation, { ...input, step }),
  };
}

/** The request of an error, for example `GET /v1/orgs, 5 attempts`. */
export function requestOf({ method, path, attempt }: ApiError): string {
  return `${method} ${path}${attempt > 1 ? `, ${attempt} attempts` : ''}`;
}

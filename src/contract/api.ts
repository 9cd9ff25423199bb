/** How the layers above the contract reach a service: an interface that the client implements, and the error type of its requests. */
import { type Operation, type OperationId, operationOf } from './index.ts';

/** Input of a request: path parameters, query and body, by the names of the contract. */
export interface ApiInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The step that the request belongs to, for logs and reports. Never sent. */
  readonly step?: StepLabel;
}

/** The step of a plan that a request belongs to. */
export interface StepLabel {
  readonly organization: string;
  /** Its id: address and phase. */
  readonly step: string;
}

/** Returned instead of a response: the service accepted the request (202) but has not applied it, for example until people decide. */
export const accepted = Symbol('accepted');

/** An operation that the contract does not list or does not check; it is sent as typed. */
export interface Unlisted {
  /** Method and path, for messages. */
  readonly id: string;
  readonly operation: Operation;
}

/** The operation with that name, or the given unlisted one. */
export function unlisted(named: OperationId | Unlisted): Unlisted {
  return typeof named === 'string' ? { id: named, operation: operationOf(named) } : named;
}

/** A read of a service. `response`: the checked body, or the items of all pages; absent if the object did not exist. */
export interface ServiceRead {
  readonly operation: OperationId;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly response?: unknown;
}

/** A planned request. A value that is not a string is not known yet. */
export interface PlannedCall {
  readonly operation: OperationId;
  readonly params: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A request to a service in the same process. */
export interface ServiceRequest {
  readonly method: string;
  readonly target: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** Its response. `body` is null if it is empty. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly operation?: OperationId;
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

export type ApiErrorDetails = Omit<ApiError, keyof Error | 'status' | 'serviceMessage'> &
  Partial<Pick<ApiError, 'status' | 'serviceMessage'>>;

/** A failed request, with everything that a user needs to act on it. Contains no secrets. */
export class ApiError extends Error {
  readonly type: ApiErrorType;
  /** Name of the operation, or method and path if it has no name. */
  readonly operation: string;
  readonly method: string;
  /** Path with ids filled in, without the query. */
  readonly path: string;
  readonly status: number | undefined;
  /** The service's own message, if any, without control characters; at most a few lines. */
  readonly serviceMessage: string | undefined;
  /** Number of the failed attempt, counted from 1. */
  readonly attempt: number;
  /** True if the service may have carried out the request anyway. */
  readonly mayHaveHappened: boolean;

  constructor(message: string, details: ApiErrorDetails) {
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

/** True if the service rejected the request with this status. */
export function hasStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

/** Wraps the same service so that every request carries the given step. */
export function forStep(api: Api, step: StepLabel): Api {
  return {
    send: (operation, input) => api.send(operation, { ...input, step }),
    all: (operation, input) => api.all(operation, { ...input, step }),
  };
}

/** The request of an error. Example: `GET /v1/orgs, 5 attempts`. */
export function requestOf({ method, path, attempt }: ApiError): string {
  return `${method} ${path}${attempt > 1 ? `, ${attempt} attempts` : ''}`;
}

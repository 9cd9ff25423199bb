/** Refusals of the embedded service: the response is `{"error":{"code","message"}}` (service errors are not in the document). */

/** A refusal with its HTTP status. Thrown by handlers; the transaction is rolled back. */
export class ServiceError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
  }
}

/** 400: the request is wrong in itself. */
export function invalid(message: string): ServiceError {
  return new ServiceError(400, message);
}

/** 403: the caller is known, and may not. */
export function forbidden(message: string): ServiceError {
  return new ServiceError(403, message);
}

/** 404: not found, or not visible to the caller. */
export function notFound(what: string): ServiceError {
  return new ServiceError(404, `${what} not found`);
}

/** 409: the request is right in itself, and cannot be done in this state. */
export function conflict(message: string): ServiceError {
  return new ServiceError(409, message);
}

/** True for the error of SQLite when a row repeats a value that is unique. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE';
}

/** The body of every error response. */
export function errorBody(status: number, message: string): { error: { code: number; message: string } } {
  return { error: { code: status, message } };
}

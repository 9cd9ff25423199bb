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

/** What an error of the disk means for the caller: nothing was stored. Undefined for other errors. */
export function diskError(error: unknown): ServiceError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_FULL')) return new ServiceError(507, 'the disk of the service is full');
  if (/^SQLITE_(IOERR|READONLY|CANTOPEN)/.test(code)) {
    return new ServiceError(503, 'the service cannot write to its disk');
  }
  return undefined;
}

/** The body of every error response. */
export function errorBody(status: number, message: string): { error: { code: number; message: string } } {
  return { error: { code: status, message } };
}

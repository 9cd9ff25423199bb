/** Thrown by handlers; the transaction is rolled back. */
export class ServiceError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
  }
}

export function invalid(message: string): ServiceError {
  return new ServiceError(400, message);
}

export function forbidden(message: string): ServiceError {
  return new ServiceError(403, message);
}

export function notFound(what: string): ServiceError {
  return new ServiceError(404, `${what} not found`);
}

export function conflict(message: string): ServiceError {
  return new ServiceError(409, message);
}

/** The response to a disk error, after which nothing was stored. Undefined for other errors. */
export function diskError(error: unknown): ServiceError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_FULL')) return new ServiceError(507, 'the disk of the service is full');
  if (/^SQLITE_(IOERR|READONLY|CANTOPEN)/.test(code)) {
    return new ServiceError(503, 'the service cannot write to its disk');
  }
  return undefined;
}

export function errorBody(status: number, message: string): { error: { code: number; message: string } } {
  return { error: { code: status, message } };
}

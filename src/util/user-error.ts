import { defined } from './defined.ts';
import { DiagnosticError } from './diagnostic.ts';
import type { DiagnosticCode } from './diagnostic-codes.ts';

/** The message is a sentence without a final period. */
export function userError(code: DiagnosticCode, message: string, suggestion?: string): DiagnosticError {
  return new DiagnosticError([{ severity: 'error', code, message, ...defined({ suggestion }) }]);
}

/** The meaning of the system error, or its message. */
export function reasonOf(error: unknown): string {
  return systemReason(error) ?? messageOf(error);
}

export function messageOf(error: unknown): string {
  return asError(error).message;
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function systemReason(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist',
    EEXIST: 'something else has that name',
    ENOTDIR: 'part of the path is not a folder',
    EISDIR: 'it is a folder',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EADDRINUSE: 'the port is in use',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is exceeded',
    EROFS: 'the file system cannot be written to',
  };
  return typeof code === 'string' ? words[code] : undefined;
}

/** An imperative, for a file that could not be written. */
export function writeAdvice(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'free some space';
  return code === 'EROFS' ? 'write to another file system' : 'check the permissions of its folder';
}

/** Mistakes of use as diagnostics, so that all problems look alike. */
import { defined } from './defined.ts';
import { DiagnosticError } from './diagnostic.ts';
import type { DiagnosticCode } from './diagnostic-codes.ts';

/** An error that the user can mend; the message is a sentence without a final period. */
export function userError(code: DiagnosticCode, message: string, suggestion?: string): DiagnosticError {
  return new DiagnosticError([{ severity: 'error', code, message, ...defined({ suggestion }) }]);
}

/** Why something failed, in words: what the system error means, or the message. */
export function reasonOf(error: unknown): string {
  return systemReason(error) ?? messageOf(error);
}

/** The message of what was thrown. */
export function messageOf(error: unknown): string {
  return asError(error).message;
}

/** What was thrown, as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** What a system error means, in words; undefined for errors of other kinds. */
export function systemReason(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist',
    ENOTDIR: 'part of the path is not a folder',
    EISDIR: 'it is a folder',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EADDRINUSE: 'the port is in use',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system cannot be written to',
  };
  return typeof code === 'string' ? words[code] : undefined;
}

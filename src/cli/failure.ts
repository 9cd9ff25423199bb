/** Turns every failure into one message on stderr and an exit code. Shows a stack trace with --verbose only. */

import { clean } from '../client/service-message.ts';
import { ApiError } from '../contract/api.ts';
import { apiErrorDiagnostic } from '../report/api-error.ts';
import { renderDiagnostics } from '../report/diagnostics.ts';
import { type Diagnostic, DiagnosticError } from '../util/diagnostic.ts';
import { systemReason } from '../util/user-error.ts';
import type { Invocation } from './invocation.ts';
import type { Output } from './output.ts';

/** Shows the error and returns the exit code. */
export function explain(output: Output, error: unknown, invocation?: Invocation): number {
  if (invocation?.interrupt.requested === true && (!(error instanceof Error) || isInterruption(error))) {
    output.error('Interrupted.');
    return invocation.interrupt.exitCode;
  }
  const diagnostics = diagnosticsOf(error);
  if (diagnostics === undefined) {
    output.error(bugReport(error));
    if (invocation?.flags.verbose === true && error instanceof Error) output.error(error.stack ?? '');
    return 1;
  }
  const sources = error instanceof DiagnosticError ? error.sources : new Map<string, string>();
  const { errorColor: color, errorWidth: width } = output;
  output.error(renderDiagnostics(diagnostics, sources, { color, width }).trimEnd());
  return 1;
}

function isInterruption(error: Error): boolean {
  return (error instanceof ApiError && error.type === 'cancelled') || error.name === 'AbortError';
}

function diagnosticsOf(error: unknown): readonly Diagnostic[] | undefined {
  if (error instanceof DiagnosticError) return error.diagnostics;
  if (error instanceof ApiError) return [apiErrorDiagnostic(error)];
  const reason = systemReason(error);
  if (reason === undefined) return undefined;
  const { path } = error as { path?: unknown };
  return [
    {
      severity: 'error',
      code: 'system',
      message: typeof path === 'string' ? `${path}: ${reason}` : reason,
    },
  ];
}

function bugReport(error: unknown): string {
  const message = clean(error instanceof Error ? error.message : String(error));
  return `error[bug]: this is a bug in octavo: ${message}\n  help: run with --verbose for a stack trace, and report it`;
}

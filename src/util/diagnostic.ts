/** What Octavo tells about problems: one form for errors, warnings and hints of every layer. */
import type { z } from 'zod';
import type { diagnosticSchema, sourceRangeSchema } from './diagnostic-schema.ts';

/** A part of a source file. Lines and columns start at 1; `endColumn` is the column after the last character. */
export type SourceRange = z.infer<typeof sourceRangeSchema>;

/** One problem: what is wrong, where, and what to do about it. */
export type Diagnostic = z.infer<typeof diagnosticSchema>;

export type Severity = Diagnostic['severity'];

/** Carries diagnostics to the edge, where they are shown; never shown as a stack trace. */
export class DiagnosticError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((diagnostic) => diagnostic.message).join('; '));
    this.name = 'DiagnosticError';
    this.diagnostics = diagnostics;
  }
}

/** True when at least one of the diagnostics is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** Problems: one form for errors, warnings and hints of every layer. */
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
  /** Texts of files by the names that the diagnostics use, for excerpts; empty where they are not known. */
  readonly sources: ReadonlyMap<string, string>;

  constructor(diagnostics: readonly Diagnostic[], sources: ReadonlyMap<string, string> = new Map()) {
    super(diagnostics.map((diagnostic) => diagnostic.message).join('; '));
    this.name = 'DiagnosticError';
    this.diagnostics = diagnostics;
    this.sources = sources;
  }
}

/** Waits; a DiagnosticError that knows no texts is thrown with these. */
export async function withSources<T>(sources: ReadonlyMap<string, string>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DiagnosticError) || error.sources.size > 0) throw error;
    throw new DiagnosticError(error.diagnostics, sources);
  }
}

/** True when at least one of the diagnostics is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

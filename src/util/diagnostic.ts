import type { z } from 'zod';
import type { diagnosticSchema, sourceRangeSchema } from './diagnostic-schema.ts';

/** Lines and columns start at 1; `endColumn` is the column after the last character. */
export type SourceRange = z.infer<typeof sourceRangeSchema>;

export type Diagnostic = z.infer<typeof diagnosticSchema>;

/** Carries diagnostics to the outermost layer, which shows them; never shown as a stack trace. */
export class DiagnosticError extends Error {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;

  constructor(diagnostics: readonly Diagnostic[], sources: ReadonlyMap<string, string> = new Map()) {
    super(diagnostics.map((diagnostic) => diagnostic.message).join('; '));
    this.name = 'DiagnosticError';
    this.diagnostics = diagnostics;
    this.sources = sources;
  }
}

/** Adds these texts to a DiagnosticError without texts. */
export async function withSources<T>(sources: ReadonlyMap<string, string>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DiagnosticError) || error.sources.size > 0) throw error;
    throw new DiagnosticError(error.diagnostics, sources);
  }
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

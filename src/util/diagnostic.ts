/** What Octavo tells about problems: one form for errors, warnings and hints of every layer. */

/** A stretch of a source file. Lines and columns start at 1; `endColumn` is the column after the last character. */
export interface SourceRange {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export type Severity = 'error' | 'warning' | 'hint';

/** One problem: what is wrong, where, and what to do about it. */
export interface Diagnostic {
  readonly severity: Severity;
  /** Stable name of the problem in kebab-case, for tests and for searching the documentation. */
  readonly code: string;
  /** One sentence without a final period, saying what is wrong. */
  readonly message: string;
  /** The object concerned, as its address. */
  readonly address?: string;
  readonly at?: SourceRange;
  /** Other places that belong to the problem, for example the first of two equal keys. */
  readonly related?: readonly { readonly message: string; readonly at?: SourceRange }[];
  /** What would be right, or what to do next; may hold YAML lines to paste. */
  readonly suggestion?: string;
}

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

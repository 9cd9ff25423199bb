/** Where a syntax error is, in the text of its document. */
import type { YAMLError } from 'yaml';
import type { SourceRange } from '../util/diagnostic.ts';
import type { ProblemDetails } from './problems.ts';

/** A text, and the ranges of its offsets. */
export interface SyntaxSource {
  readonly text: string;
  /** Where the text ends, without trailing whitespace: what is missing is missing there. */
  readonly end: number;
  readonly range: (from: number, to: number) => SourceRange;
}

/** A syntax error for people. */
export interface SyntaxText extends ProblemDetails {
  readonly message: string;
  readonly at: SourceRange;
}

/** The place of an error: leading spaces skipped, and the end of the text moved back to its last character. */
export function placeOf(
  error: YAMLError,
  { text, end }: SyntaxSource,
): { readonly from: number; readonly to: number } {
  let from = Math.min(error.pos[0], end);
  const to = error.pos[1];
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  if (error.code !== 'TAB_AS_INDENT' && text.slice(lineStart, from).trim() === '') {
    const spaces = /^ */.exec(text.slice(from))?.[0].length ?? 0;
    if (/\S/.test(text[from + spaces] ?? '')) from += spaces;
  }
  return { from, to: Math.max(to, from + 1) };
}

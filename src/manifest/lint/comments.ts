/**
 * Comments that turn rules off in place: `# octavo-disable rule` at the end of a line, above an object (for all of it) or
 * at the top of a file, and `# octavo-disable-next-line rule`. Loaded where a text has one.
 */
import { CST, Lexer } from 'yaml';
import type { SourceRange } from '../../util/diagnostic.ts';

/** One comment and the lines in which it turns rules off. */
export interface DisableComment {
  readonly at: SourceRange;
  /** As they are written: names of rules, known or not. */
  readonly rules: readonly string[];
  /** From this line to that one. */
  readonly from: number;
  readonly to: number;
}

/** All such comments of a YAML text. */
export function disableComments(file: string, text: string): readonly DisableComment[] {
  const lines = text.split(/\r?\n/);
  return commentsIn(text).flatMap(({ line, column, comment }): readonly DisableComment[] => {
    const found = /^#\s*octavo-disable(-next-line)?(?:\s+(.*))?$/.exec(comment.trim());
    if (found === null) return [];
    const [, next, names = ''] = found;
    const isAlone = (lines[line - 1] ?? '').trim().startsWith('#');
    const scope = scopeOf(lines, { line, isAlone, isNextLine: next !== undefined });
    // What follows two dashes is the reason.
    const rules = (names.split(/\s--(?:\s|$)/)[0] ?? '').split(/[\s,]+/).filter((name) => name !== '');
    const at = { file, line, column, endLine: line, endColumn: column + comment.length };
    return [{ at, rules, ...scope }];
  });
}

interface CommentPlace {
  readonly line: number;
  /** True where nothing else is on the line. */
  readonly isAlone: boolean;
  readonly isNextLine: boolean;
}

/** Lines count from 1. */
function scopeOf(
  lines: readonly string[],
  { line, isAlone, isNextLine }: CommentPlace,
): { readonly from: number; readonly to: number } {
  if (!isAlone && !isNextLine) return { from: line, to: line };
  const isContent = (text: string) => text.trim() !== '' && !text.trim().startsWith('#');
  const next = lines.findIndex((text, at) => at >= line && isContent(text)) + 1;
  if (isNextLine) return { from: next, to: next };
  const isFirst = !lines.slice(0, line - 1).some((text) => isContent(text) && text.trim() !== '---');
  if (isFirst || next === 0) return { from: 1, to: lines.length };
  return { from: next, to: endOfObject(lines, next, isContent) };
}

/** The last line of what starts at a line: all that is indented more. */
function endOfObject(lines: readonly string[], start: number, isContent: (text: string) => boolean): number {
  const indent = indentOf(lines[start - 1] ?? '');
  const after = lines.findIndex((text, at) => at >= start && isContent(text) && indentOf(text) <= indent);
  return after < 0 ? lines.length : after;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

interface FoundComment {
  readonly line: number;
  readonly column: number;
  readonly comment: string;
}

/** The comments of a text, by its tokens: a number sign in a text value starts none. */
function commentsIn(text: string): readonly FoundComment[] {
  const found: FoundComment[] = [];
  let [line, column, isScalar] = [1, 1, false];
  for (const token of new Lexer().lex(text)) {
    if (token === CST.SCALAR || token === CST.DOCUMENT || token === CST.FLOW_END) {
      isScalar = token === CST.SCALAR;
      continue;
    }
    if (!isScalar && token.startsWith('#')) found.push({ line, column, comment: token.trimEnd() });
    isScalar = false;
    const breaks = token.split('\n');
    line += breaks.length - 1;
    column = breaks.length > 1 ? (breaks.at(-1)?.length ?? 0) + 1 : column + token.length;
  }
  return found;
}

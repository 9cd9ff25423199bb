/**
 * Comments that turn rules off: `# octavo-disable rule` at the end of a line, above an object (for all of it) or at the top of a
 * file, and `# octavo-disable-next-line rule`. Loaded only if a text has one.
 */

import type { SourceRange } from '../../util/diagnostic.ts';
import { commentsIn } from '../../yaml/comments.ts';
import { LineTable } from '../../yaml/line-table.ts';

export interface DisableComment {
  readonly at: SourceRange;
  readonly rules: readonly string[];
  readonly from: number;
  readonly to: number;
}

export function disableComments(file: string, text: string): readonly DisableComment[] {
  const lines = text.split(/\r?\n/);
  const table = new LineTable(text);
  return commentsIn(text).flatMap(({ offset, text: comment }): readonly DisableComment[] => {
    const { line, column } = table.placeOf(offset);
    const found = /^#\s*octavo-disable(-next-line)?(?:\s+(.*))?$/.exec(comment.trim());
    if (found === null) return [];
    const [, next, names = ''] = found;
    const isAlone = (lines[line - 1] ?? '').trim().startsWith('#');
    const scope = scopeOf(lines, { line, isAlone, isNextLine: next !== undefined });
    // The reason follows two dashes.
    const rules = (names.split(/\s--(?:\s|$)/)[0] ?? '').split(/[\s,]+/).filter((name) => name !== '');
    const at = { file, line, column, endLine: line, endColumn: column + comment.length };
    return [{ at, rules, ...scope }];
  });
}

interface CommentPlace {
  readonly line: number;
  readonly isAlone: boolean;
  readonly isNextLine: boolean;
}

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

function endOfObject(lines: readonly string[], start: number, isContent: (text: string) => boolean): number {
  const indent = indentOf(lines[start - 1] ?? '');
  const after = lines.findIndex((text, at) => at >= start && isContent(text) && indentOf(text) <= indent);
  return after < 0 ? lines.length : after;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

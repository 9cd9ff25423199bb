/**
 * Comments that turn rules off: `# octavo-disable rule` at the end of a line, above an object (applies to all of it) or at the top of a
 * file, and `# octavo-disable-next-line rule`. Loaded only if a text contains one.
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
  const outline = outlineOf(text.split(/\r?\n/));
  const table = new LineTable(text);
  return commentsIn(text).flatMap(({ offset, text: comment }): readonly DisableComment[] => {
    const { line, column } = table.placeOf(offset);
    const found = /^#\s*octavo-disable(-next-line)?(?:\s+(.*))?$/.exec(comment.trim());
    if (found === null) return [];
    const [, next, names = ''] = found;
    const isAlone = (outline.lines[line - 1] ?? '').trim().startsWith('#');
    const scope = scopeOf(outline, { line, isAlone, isNextLine: next !== undefined });
    // A reason follows two dashes.
    const own = (names.slice(0, longest).split(/\s--(?:\s|$)/)[0] ?? '')
      .split(/[\s,]+/)
      .filter((name) => name !== '');
    const rules = [...new Set(own)];
    const at = { file, line, column, endLine: line, endColumn: column + comment.length };
    return [{ at, rules, ...scope }];
  });
}

interface CommentPlace {
  readonly line: number;
  readonly isAlone: boolean;
  readonly isNextLine: boolean;
}

/** Maximum of characters read from a comment; all rules together need fewer. */
const longest = 10_000;

interface CommentedLines {
  readonly lines: readonly string[];
  /** Indexes of lines with more than a comment, counted from 0, in order. */
  readonly content: readonly number[];
  /** Maps each of these lines to the next one that is not indented deeper. */
  readonly ends: ReadonlyMap<number, number>;
}

function outlineOf(lines: readonly string[]): CommentedLines {
  const content = lines.flatMap((text, at) => (/^(?:#|$)/.test(text.trimStart()) ? [] : [at]));
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const at of content) {
    const indent = indentOf(lines[at] ?? '');
    for (
      let last = open.at(-1);
      last !== undefined && indentOf(lines[last] ?? '') >= indent;
      last = open.at(-1)
    )
      ends.set(open.pop() ?? last, at);
    open.push(at);
  }
  return { lines, content, ends };
}

function scopeOf(
  { lines, content, ends }: CommentedLines,
  { line, isAlone, isNextLine }: CommentPlace,
): { readonly from: number; readonly to: number } {
  if (!isAlone && !isNextLine) return { from: line, to: line };
  const at = firstAfter(content, line);
  const next = content[at];
  if (isNextLine) return { from: (next ?? -1) + 1, to: (next ?? -1) + 1 };
  const isFirst = at === 0 || (at === 1 && lines[content[0] ?? 0]?.trim() === '---');
  if (isFirst || next === undefined) return { from: 1, to: lines.length };
  return { from: next + 1, to: ends.get(next) ?? lines.length };
}

/** Binary search for the index of the first element that is at least `least`. */
function firstAfter(sorted: readonly number[], least: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

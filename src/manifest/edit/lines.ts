/** Lines of a text, and which of them belong to an entry of a block mapping or list: its own, and its comments. */
import type { SourceCollection, SourceEntry } from './source.ts';

/** The offset at which the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  // A negative place means the first character.
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** The offset behind the line end of the line of an offset; the end of the text where there is none. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

/** The line end that a text uses near an offset. */
export function lineBreakAt(text: string, offset: number): string {
  const next = text.indexOf('\n', offset);
  const at = next < 0 ? text.lastIndexOf('\n', offset) : next;
  return text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** The column of an offset, from 0. */
export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** True where only spaces are before an offset on its line. */
export function isLineStart(text: string, offset: number): boolean {
  return /^ *$/.test(text.slice(lineStart(text, offset), offset));
}

/** True for a line, by its start, that has nothing but whitespace. */
export function isBlankLine(text: string, start: number): boolean {
  return start < text.length && text.slice(start, lineEnd(text, start)).trim() === '';
}

/** How far a comment line is indented; undefined for a line, by its start, that is none. */
function commentIndent(text: string, start: number): number | undefined {
  const match = /^([ \t]*)#/.exec(text.slice(start, lineEnd(text, start)));
  return match?.[1]?.length;
}

/** The lines of one entry: from the first of its comments to behind its last line. */
export interface Extent {
  readonly from: number;
  readonly to: number;
}

/**
 * The lines of an entry of a block collection that begins on a line of its own: with the comments directly above it,
 * the one at its end, and those below that are indented deeper. `floor`: behind the lines of what comes before.
 */
export function extentOf(text: string, collection: SourceCollection, entry: SourceEntry): Extent {
  const column = columnOf(text, entry.from);
  const index = collection.entries.indexOf(entry);
  const before = collection.entries[index - 1];
  const floor = before === undefined ? 0 : ownEnd(text, before, columnOf(text, before.from));
  let from = lineStart(text, entry.from);
  for (
    let above = lineStart(text, from - 1);
    from > floor && above >= floor;
    above = lineStart(text, from - 1)
  ) {
    const indent = commentIndent(text, above);
    if (indent === undefined || indent > column || isHeader(text, above)) break;
    from = above;
    if (from === 0) break;
  }
  return { from, to: ownEnd(text, entry, column) };
}

/** The first line of a file may speak to editors about all of it. */
function isHeader(text: string, start: number): boolean {
  return (
    start === 0 && /^#.*(?:\$schema=|yaml-language-server|coding[:=])/.test(text.slice(0, lineEnd(text, 0)))
  );
}

/** Behind the last line of an entry, and behind comments below it that are indented deeper than its key. */
function ownEnd(text: string, entry: SourceEntry, column: number): number {
  let end = lineEnd(text, Math.max(entry.to - 1, entry.from));
  for (;;) {
    const indent = commentIndent(text, end);
    if (end >= text.length || indent === undefined || indent <= column) return end;
    end = lineEnd(text, end);
  }
}

/** Whether a blank line is before some lines, by their start. */
export function hasBlankBefore(text: string, start: number): boolean {
  return start > 0 && isBlankLine(text, lineStart(text, start - 1));
}

/** Whether entries of a collection are mostly told apart by blank lines. */
export function isSpaced(text: string, collection: SourceCollection): boolean {
  const followers = collection.entries.slice(1);
  const spaced = followers.filter((entry) => hasBlankBefore(text, extentOf(text, collection, entry).from));
  return spaced.length > 0 && spaced.length * 2 >= followers.length;
}

/** The indentation that a nested block has, by the example of the first one of a document. */
export function indentStep(root: SourceCollection | undefined, text: string): number {
  if (root === undefined || root.flow) return 2;
  for (const { from, value } of root.entries) {
    if (value === undefined || value.type === 'scalar' || value.type === 'alias' || value.flow) continue;
    const own = columnOf(text, from);
    const first = value.entries[0];
    const deeper = first === undefined ? 0 : columnOf(text, first.from) - own;
    if (value.type === 'map' && deeper > 0) return deeper;
  }
  return 2;
}

/** Finds lines of a text, and the lines of an entry of a block mapping or list, including its comments. */
import type { DataPath } from './data.ts';
import type { SourceCollection, SourceEntry, SourceNode } from './source.ts';

export function lineStart(text: string, offset: number): number {
  // A negative position means the first character.
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Offset after the line break, or the end of the text. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

export function lineBreakAt(text: string, offset: number): string {
  const next = text.indexOf('\n', offset);
  const at = next < 0 ? text.lastIndexOf('\n', offset) : next;
  return text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** Counted from 0. */
export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

export function isLineStart(text: string, offset: number): boolean {
  return /^ *$/.test(text.slice(lineStart(text, offset), offset));
}

export function isBlankLine(text: string, start: number): boolean {
  return start < text.length && text.slice(start, lineEnd(text, start)).trim() === '';
}

function commentIndent(text: string, start: number): number | undefined {
  const match = /^([ \t]*)#/.exec(text.slice(start, lineEnd(text, start)));
  return match?.[1]?.length;
}

/** Reaches from the first comment of an entry to the end of its last line. */
export interface Extent {
  readonly from: number;
  readonly to: number;
}

/**
 * Extent of an entry of a block collection on its own line: includes comments directly above it, at its end, and below it if indented
 * deeper. `floor`: the end of the preceding lines.
 */
export function extentOf(text: string, { entries }: SourceCollection, index: number): Extent {
  const [before, entry] = [entries[index - 1], entries[index]];
  if (entry === undefined) throw new RangeError(`no entry ${index}`);
  const column = columnOf(text, entry.from);
  const floor = before === undefined ? 0 : ownEnd(text, before, columnOf(text, before.from));
  let from = lineStart(text, entry.from);
  while (from > floor) {
    const above = lineStart(text, from - 1);
    const indent = above < floor ? undefined : commentIndent(text, above);
    if (indent === undefined || indent > column || isHeader(text, above)) break;
    from = above;
  }
  return { from, to: ownEnd(text, entry, column) };
}

export interface PlacedExtent extends Extent {
  readonly path: DataPath;
}

export function extentAt<E extends Extent>(offset: number, extents: readonly E[]): E | undefined {
  return extents.find(({ from, to }) => from <= offset && offset < to);
}

/** Path of the innermost entry whose lines contain the offset. */
export function pathOver(text: string, node: SourceNode | undefined, offset: number): DataPath {
  if (node === undefined || !('entries' in node)) return [];
  const extents = node.entries.map((entry, at) => ({
    entry,
    ...(node.flow ? entry : extentOf(text, node, at)),
  }));
  const { entry } = extentAt(offset, extents) ?? {};
  return entry === undefined ? [] : [entry.key, ...pathOver(text, entry.value, offset)];
}

/** True for the first line of a file if it addresses editors. */
function isHeader(text: string, start: number): boolean {
  return (
    start === 0 && /^#.*(?:\$schema=|yaml-language-server|coding[:=])/.test(text.slice(0, lineEnd(text, 0)))
  );
}

/** Includes comments below the entry that are indented deeper than its key. */
function ownEnd(text: string, entry: SourceEntry, column: number): number {
  let end = lineEnd(text, Math.max(entry.to - 1, entry.from));
  for (;;) {
    const indent = commentIndent(text, end);
    if (end >= text.length || indent === undefined || indent <= column) return end;
    end = lineEnd(text, end);
  }
}

export function hasBlankBefore(text: string, start: number): boolean {
  return start > 0 && isBlankLine(text, lineStart(text, start - 1));
}

/** True if at least half of the entries are preceded by an empty line. */
export function isSpaced(text: string, collection: SourceCollection): boolean {
  const followers = [...collection.entries.keys()].slice(1);
  const spaced = followers.filter((index) => hasBlankBefore(text, extentOf(text, collection, index).from));
  return spaced.length > 0 && spaced.length * 2 >= followers.length;
}

/** Indentation of the first nested block of the document. */
export function indentStep(root: SourceCollection | undefined, text: string): number {
  if (root === undefined || root.flow) return 2;
  for (const { from, value } of root.entries) {
    if (value === undefined || value.type === 'scalar' || value.type === 'alias' || value.flow) continue;
    const deeper = columnOf(text, value.entries[0]?.from ?? from) - columnOf(text, from);
    if (value.type === 'map' && deeper > 0) return deeper;
  }
  return 2;
}

export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Skips replacements that overlap earlier ones. */
export function replaceAll(text: string, replacements: readonly Replacement[]): string {
  let [result, end] = ['', 0];
  for (const { from, to, text: own } of [...replacements].sort(
    (left, right) => left.from - right.from || left.to - right.to,
  )) {
    if (from < end) continue;
    result += text.slice(end, from) + own;
    end = to;
  }
  return result + text.slice(end);
}

export function withoutIndent(lines: string, column: number): string {
  const spaces = /^ */.exec(lines)?.[0].length ?? 0;
  return lines.slice(Math.min(spaces, column));
}

/**
 * Changes of block mappings and lists, entry by entry, as replacements of whole lines. Comments go with the entry that they
 * belong to; all other lines stay as they are.
 */
import type { Data } from '../emit/data.ts';
import {
  columnOf,
  type Extent,
  extentOf,
  hasBlankBefore,
  isBlankLine,
  isLineStart,
  isSpaced,
  lineBreakAt,
  lineEnd,
  lineStart,
} from './lines.ts';
import type { SourceCollection, SourceEntry } from './source.ts';
import { entryLines, itemLines, type Layout } from './value-text.ts';

/** Characters to put in place of others. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Why something is not edited: a clause without a final period. */
export interface EditRefusal {
  readonly reason: string;
}

/** What a change of entries gives. */
export type EntryChange = readonly Replacement[] | EditRefusal;

/** A block collection, in its text. */
export interface BlockScene {
  readonly text: string;
  readonly collection: SourceCollection;
  readonly layout: Layout;
}

/** Where a new entry goes: behind or before the entry at an index; at the end where none is given. */
export type EntryPlace = { readonly after: number } | { readonly before: number } | undefined;

/** Removes an entry that has siblings. */
export function removeFromBlock({ text, collection }: BlockScene, entry: SourceEntry): EntryChange {
  if (!isLineStart(text, entry.from)) return removeCompact(text, collection, entry);
  const extent = extentOf(text, collection, entry);
  const isFirst = collection.entries[0] === entry;
  return [{ ...(isFirst ? withBlankAfter(text, extent) : withBlankBefore(text, extent)), text: '' }];
}

/** Where the blank lines above would stay behind without a use, they go as well. */
function withBlankBefore(text: string, { from, to }: Extent): Extent {
  if (to < text.length && !isBlankLine(text, to)) return { from, to };
  let start = from;
  while (hasBlankBefore(text, start)) start = lineStart(text, start - 1);
  return { from: start, to };
}

/** Blank lines between the first entry and the second tell nothing apart any more. */
function withBlankAfter(text: string, { from, to }: Extent): Extent {
  let end = to;
  while (isBlankLine(text, end)) end = lineEnd(text, end);
  return { from, to: end };
}

/** The first entry behind a dash: the next one takes its place. */
function removeCompact(text: string, collection: SourceCollection, entry: SourceEntry): EntryChange {
  const next = collection.entries[collection.entries.indexOf(entry) + 1];
  if (next === undefined || /#/.test(text.slice(entry.to, next.from)))
    return { reason: 'it shares its line with what it is in' };
  return [{ from: entry.from, to: next.from, text: '' }];
}

/** Adds entries to a block mapping that has some; to a list, where the keys are numbers. */
export function addToBlock(
  scene: BlockScene,
  entries: readonly (readonly [string | number, Data])[],
  place: EntryPlace,
): EntryChange {
  const { text, collection, layout } = scene;
  const last = collection.entries.length - 1;
  const isBefore = place !== undefined && 'before' in place;
  const sibling = collection.entries[place === undefined ? last : isBefore ? place.before : place.after];
  const first = collection.entries[0];
  if (sibling === undefined || first === undefined) return { reason: 'there is no place for it' };
  const column = columnOf(text, first.from);
  const lines = entries.map(([key, value]) =>
    typeof key === 'number' ? itemLines(value, column, layout) : entryLines(key, value, column, layout),
  );
  const gap = isSpaced(text, collection) ? [''] : [];
  const eol = lineBreakAt(text, sibling.from);
  if (isBefore) {
    if (!isLineStart(text, sibling.from)) return beforeCompact(sibling, { lines, column, eol });
    const at = extentOf(text, collection, sibling).from;
    return [
      {
        from: at,
        to: at,
        text: joined(
          lines.flatMap((one) => [...one, ...gap]),
          eol,
        ),
      },
    ];
  }
  const { to: at } = extentOf(text, collection, sibling);
  const added = lines.flatMap((one) => [...gap, ...one]);
  if (at === text.length && !text.endsWith('\n'))
    return [{ from: at, to: at, text: `${eol}${added.join(eol)}` }];
  return [{ from: at, to: at, text: joined(added, eol) }];
}

interface NewLines {
  readonly lines: readonly (readonly string[])[];
  readonly column: number;
  readonly eol: string;
}

/** Before the first entry behind a dash: the new one takes its place on the line of the dash. */
function beforeCompact(sibling: SourceEntry, { lines, column, eol }: NewLines): EntryChange {
  const added = lines.flat().join(eol).slice(column);
  return [{ from: sibling.from, to: sibling.from, text: `${added}${eol}${' '.repeat(column)}` }];
}

function joined(lines: readonly string[], eol: string): string {
  return lines.map((line) => line + eol).join('');
}

/**
 * Puts the entries at some indexes into another order, each with its comments: the first of `order` comes where the first
 * of them is, and so on. What is between entries stays between them.
 */
export function reorderBlock({ text, collection }: BlockScene, order: readonly number[]): EntryChange {
  const { entries } = collection;
  const slots = [...order].sort((left, right) => left - right);
  const first = entries[0];
  if (first !== undefined && slots[0] === 0 && !isLineStart(text, first.from))
    return { reason: 'its first entry shares its line with what it is in' };
  const eol = lineBreakAt(text, collection.from);
  const extents = entries.map((entry) => extentOf(text, collection, entry));
  return slots.flatMap((slot, index) => {
    const [there, here] = [extents[slot], extents[order[index] ?? slot]];
    if (there === undefined || here === undefined || there === here) return [];
    const own = text.slice(here.from, here.to);
    const whole = own.endsWith('\n') ? own : own + eol;
    const isOpenEnd = there.to === text.length && !text.endsWith('\n');
    return [{ ...there, text: isOpenEnd ? whole.slice(0, -eol.length) : whole }];
  });
}

/** The lines of an entry, as they are written in another place, indented by `column`. */
export function movedLines({ text, collection }: BlockScene, entry: SourceEntry, column: number): string {
  const { from, to } = extentOf(text, collection, entry);
  const shift = column - columnOf(text, entry.from);
  const eol = lineBreakAt(text, entry.from);
  const own = text.slice(from, to);
  return (own.endsWith('\n') ? own : own + eol)
    .split(/(?<=\n)/)
    .map((line) => shifted(line, shift))
    .join('');
}

function shifted(line: string, shift: number): string {
  if (line.trim() === '') return line;
  if (shift >= 0) return ' '.repeat(shift) + line;
  const spaces = /^ */.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(spaces, -shift));
}

/** Puts text of whole lines next to an entry. */
export function addLines(scene: BlockScene, lines: string, place: EntryPlace): EntryChange {
  const { text, collection } = scene;
  const isBefore = place !== undefined && 'before' in place;
  const index = place === undefined ? collection.entries.length - 1 : isBefore ? place.before : place.after;
  const sibling = collection.entries[index];
  if (sibling === undefined || !isLineStart(text, sibling.from))
    return { reason: 'its new neighbour shares its line with what it is in' };
  const extent = extentOf(text, collection, sibling);
  const at = isBefore ? extent.from : extent.to;
  const eol = lineBreakAt(text, sibling.from);
  if (at === text.length && !text.endsWith('\n'))
    return [{ from: at, to: at, text: eol + lines.replace(/\r?\n$/, '') }];
  return [{ from: at, to: at, text: lines }];
}

/** The lines that a whole nested block takes, from behind its key's line to behind its last line. */
export function blockExtent(text: string, collection: SourceCollection): Extent {
  const [first] = collection.entries;
  const last = collection.entries.at(-1);
  if (first === undefined || last === undefined) return { from: collection.from, to: collection.to };
  return {
    from: isLineStart(text, first.from) ? extentOf(text, collection, first).from : first.from,
    to: Math.max(extentOf(text, collection, last).to, lineEnd(text, collection.to - 1)),
  };
}

/** Changes of mappings in braces and lists in brackets, entry by entry, in the manner of the entries that are there. */

import type { Data } from '../emit/data.ts';
import type { EditRefusal, EntryChange, EntryPlace, Replacement } from './block-edits.ts';
import { isLineStart, lineBreakAt, lineEnd, lineStart } from './lines.ts';
import type { SourceCollection, SourceEntry } from './source.ts';
import { flowEntry, flowText } from './value-text.ts';

/** A flow collection, in its text. */
export interface FlowScene {
  readonly text: string;
  readonly collection: SourceCollection;
}

/** Adds entries; those of a list have numbers as keys. */
export function addToFlow(
  { text, collection }: FlowScene,
  entries: readonly (readonly [string | number, Data])[],
  place: EntryPlace,
): EntryChange {
  const json = isJson(collection);
  const parts = entries.map(([key, value]) =>
    typeof key === 'number' ? flowText(value, { json }) : flowEntry(key, value, { json }),
  );
  const [first] = collection.entries;
  if (first === undefined) return intoEmpty(text, collection, parts);
  const isBefore = place !== undefined && 'before' in place;
  const last = collection.entries.length - 1;
  const sibling = collection.entries[place === undefined ? last : isBefore ? place.before : place.after];
  if (sibling === undefined) return { reason: 'there is no place for it' };
  const ownLine = isLineStart(text, sibling.from);
  const indent = text.slice(lineStart(text, sibling.from), sibling.from);
  if (isBefore) {
    const separator = ownLine ? `,${lineBreakAt(text, sibling.from)}${indent}` : ', ';
    return [{ from: sibling.from, to: sibling.from, text: parts.map((part) => part + separator).join('') }];
  }
  if (!ownLine)
    return [{ from: sibling.to, to: sibling.to, text: parts.map((part) => `, ${part}`).join('') }];
  return onOwnLines(text, collection, { sibling, parts, indent });
}

interface NewParts {
  readonly sibling: SourceEntry;
  readonly parts: readonly string[];
  readonly indent: string;
}

/** Behind an entry that has a line of its own, below its comment. */
function onOwnLines(
  text: string,
  collection: SourceCollection,
  { sibling, parts, indent }: NewParts,
): EntryChange {
  const eol = lineBreakAt(text, sibling.from);
  const comma = commaAfter(text, collection, sibling);
  const end = lineEnd(text, comma ?? sibling.to);
  const close = collection.to - 1;
  const isLast = collection.entries.at(-1) === sibling;
  const next = isLast ? close : (collection.entries[collection.entries.indexOf(sibling) + 1]?.from ?? close);
  if (next < end) {
    const at = comma === undefined ? sibling.to : comma + 1;
    const lead = comma === undefined ? ',' : '';
    const added = parts.map((part) => `${eol}${indent}${part}`).join(',');
    return [{ from: at, to: at, text: `${lead}${added}${comma === undefined ? '' : ','}` }];
  }
  const joined = parts.map((part) => `${indent}${part}`).join(`,${eol}`);
  const lines = { from: end, to: end, text: `${joined}${comma === undefined ? '' : ','}${eol}` };
  return comma === undefined ? [{ from: sibling.to, to: sibling.to, text: ',' }, lines] : [lines];
}

function intoEmpty(text: string, collection: SourceCollection, parts: readonly string[]): EntryChange {
  const at = collection.from + 1;
  const inside = text.slice(at, collection.to - 1);
  if (inside.includes('#')) return { reason: 'its braces hold a comment alone' };
  const pad = collection.type === 'map' ? ' ' : '';
  return [{ from: at, to: collection.to - 1, text: `${pad}${parts.join(', ')}${pad}` }];
}

/** Removes an entry, with its comma. */
export function removeFromFlow({ text, collection }: FlowScene, entry: SourceEntry): EntryChange {
  const { entries } = collection;
  const index = entries.indexOf(entry);
  const [before, next] = [entries[index - 1], entries[index + 1]];
  const comma = commaAfter(text, collection, entry);
  const isAlone =
    isLineStart(text, entry.from) &&
    /^[ \t]*,?[ \t]*(?:#.*)?\r?$/.test(text.slice(entry.to, lineEnd(text, entry.to)).replace(/\n$/, ''));
  if (isAlone) {
    const lines = { from: commentsAbove(text, entry.from), to: lineEnd(text, entry.to), text: '' };
    const former = before === undefined ? undefined : commaAfter(text, collection, before);
    const isNeeded = next !== undefined || comma !== undefined || former === undefined;
    return isNeeded ? [lines] : [{ from: former, to: former + 1, text: '' }, lines];
  }
  if (next !== undefined) return withoutComment(text, { from: entry.from, to: next.from, text: '' });
  if (before === undefined)
    return withoutComment(text, { from: collection.from + 1, to: collection.to - 1, text: '' });
  return withoutComment(text, { from: before.to, to: comma === undefined ? entry.to : comma, text: '' });
}

function withoutComment(text: string, edit: Replacement): EntryChange {
  // A `#` may also be part of a text; such entries are rare enough to be left to people.
  if (/[ \t]#/.test(text.slice(edit.from, edit.to)))
    return { reason: 'a comment inside its braces would be lost' };
  return [edit];
}

function commentsAbove(text: string, from: number): number {
  let start = lineStart(text, from);
  for (;;) {
    const above = start === 0 ? 0 : lineStart(text, start - 1);
    if (start === 0 || !/^[ \t]*#/.test(text.slice(above, start))) return start;
    start = above;
  }
}

/** Puts the texts of entries into another order; what is between them stays. */
export function reorderFlow({ text, collection }: FlowScene, order: readonly number[]): EntryChange {
  if (commentInside(text, collection))
    return { reason: 'comments inside its braces would change their places' };
  const slots = [...order].sort((left, right) => left - right);
  return slots.flatMap((slot, index) => {
    const [there, here] = [collection.entries[slot], collection.entries[order[index] ?? slot]];
    if (there === undefined || here === undefined || there === here) return [];
    return [{ from: there.from, to: there.to, text: text.slice(here.from, here.to) }];
  });
}

/** True where a comment is between entries, or between an entry and a bracket. */
export function commentInside(text: string, { entries, from, to }: SourceCollection): boolean {
  const ends = [from + 1, ...entries.map((entry) => entry.to)];
  return ends.some((end, index) => text.slice(end, entries[index]?.from ?? to - 1).includes('#'));
}

/** The offset of the comma behind an entry; undefined where there is none. */
function commaAfter(text: string, { entries, to }: SourceCollection, entry: SourceEntry): number | undefined {
  const limit = entries[entries.indexOf(entry) + 1]?.from ?? to - 1;
  for (let at = entry.to; at < limit; at += 1) {
    if (text[at] === ',') return at;
    if (text[at] === '#') at = lineEnd(text, at) - 1;
  }
  return undefined;
}

/** True where all keys and texts are in double quotes, as in JSON. */
function isJson({ entries }: SourceCollection): boolean {
  const styles = entries.flatMap(({ keyStyle, value }) => [
    ...(keyStyle === undefined ? [] : [keyStyle]),
    ...(keyStyle === undefined && value?.type === 'scalar' && typeof value.value === 'string'
      ? [value.style]
      : []),
  ]);
  return styles.length > 0 && styles.every((style) => style === 'double');
}

/** Says that a refusal is none. */
export function isChange(change: EntryChange): change is readonly Replacement[] {
  return !('reason' in (change as EditRefusal));
}

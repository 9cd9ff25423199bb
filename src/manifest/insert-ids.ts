/**
 * Writes ids into manifests as text: one entry more in the mapping of each object, and every other character, comments
 * and line ends too, unchanged. Entries that cannot be edited that way are skipped, with the reason.
 */
import {
  type CST,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parse,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { LineTable } from './line-table.ts';
import { tooDeepAt } from './nesting.ts';
import { yamlOptions } from './parse.ts';

/** An object to pin. Line and column, from 1, are those of its key; a byte-order mark is not a column. */
export interface IdTarget {
  readonly line: number;
  readonly column: number;
  readonly id: string;
}

/** What became of a text and of each target. */
export interface InsertedIds<T extends IdTarget> {
  readonly text: string;
  /** In the order of the text, with the line that the id is on now. */
  readonly inserted: readonly { readonly target: T; readonly line: number }[];
  /** The reason is a clause without a final period. */
  readonly skipped: readonly { readonly target: T; readonly reason: string }[];
}

/** Characters to put in place of others. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

interface Refused {
  readonly reason: string;
}

/** An entry of a mapping, as written. */
interface Entry {
  readonly key: unknown;
  readonly value: unknown;
  readonly item: CST.CollectionItem;
  /** True inside braces. */
  readonly inFlow: boolean;
}

/** Puts `id: …` first into the mappings whose keys are at the given places. Any text gives a result. */
export function insertIds<T extends IdTarget>(given: string, targets: readonly T[]): InsertedIds<T> {
  const mark = given.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = given.slice(mark.length);
  const lines = new LineTable(text);
  const entries = entriesOf(text);
  const skipped: { target: T; reason: string }[] = [];
  const edits: { target: T; edit: Edit }[] = [];
  const taken = new Set<number>();
  for (const target of targets) {
    const offset = lines.offsetOf(target);
    const entry = entries.get(offset);
    const edit =
      entry === undefined ? { reason: 'there is no key at this place' } : editFor(text, entry, target.id);
    if ('reason' in edit) skipped.push({ target, reason: edit.reason });
    else if (taken.has(offset)) skipped.push({ target, reason: 'the entry is used by several objects' });
    else {
      taken.add(offset);
      edits.push({ target, edit });
    }
  }
  edits.sort((left, right) => left.edit.from - right.edit.from);
  let [result, end, added] = [mark, 0, 0];
  const inserted: { target: T; line: number }[] = [];
  for (const { target, edit } of edits) {
    inserted.push({ target, line: lines.placeOf(edit.from).line + added });
    result += text.slice(end, edit.from) + edit.text;
    end = edit.to;
    added += edit.text.split('\n').length - 1;
  }
  return { text: result + text.slice(end), inserted, skipped };
}

/** The entry that pins an object, as YAML: `id: site_abc`, quoted where YAML would not read the id as text. */
export function idEntry(id: string): string {
  return `id: ${idText(id, 'plain')}`;
}

/** All entries of all mappings, by the offset of their keys. */
function entriesOf(text: string): ReadonlyMap<number, Entry> {
  const entries = new Map<number, Entry>();
  if (tooDeepAt(text) !== undefined) return entries;
  const documents = parseAllDocuments(text, { ...yamlOptions, keepSourceTokens: true });
  for (const document of Array.isArray(documents) ? documents : []) {
    visit(document, {
      Pair: (_key, pair, path) => {
        const { key, value, srcToken: item } = pair as Pair & { srcToken?: CST.CollectionItem };
        const offset = isNode(key) ? key.range?.[0] : undefined;
        const holder = path.at(-1);
        if (offset === undefined || item === undefined) return;
        entries.set(offset, { key, value, item, inFlow: isMap(holder) && holder.flow === true });
      },
    });
  }
  return entries;
}

function editFor(text: string, entry: Entry, id: string): Edit | Refused {
  const { value } = entry;
  const shared = whyShared(value);
  if (shared !== undefined) return { reason: shared };
  if (isMap(value)) return intoMap(text, { ...entry, map: value }, id);
  if (value === null || value === undefined || (isScalar(value) && value.value === null)) {
    return inPlaceOfNothing(entry, value as Scalar | null | undefined, id);
  }
  const isIncluded = isScalar(value) && /^\$\{(?:json|yaml):/.test(String(value.value));
  return { reason: isIncluded ? 'its value is included from another file' : 'its value is not a mapping' };
}

/** Why others would get the id as well; undefined where only this entry has the value. */
function whyShared(value: unknown): string | undefined {
  if (isAlias(value)) return `its value is the alias *${value.source}, shared with others`;
  if ((isMap(value) || isScalar(value) || isSeq(value)) && value.anchor !== undefined) {
    return `its value has the anchor &${value.anchor}, others may share it`;
  }
  return undefined;
}

function intoMap(text: string, entry: Entry & { readonly map: YAMLMap }, id: string): Edit | Refused {
  const { map } = entry;
  if (map.has('id')) return { reason: 'it already has an id' };
  const [first] = map.items as readonly (Pair & { srcToken?: CST.CollectionItem })[];
  if (first === undefined) return intoEmpty(text, entry, id);
  const start = first.srcToken === undefined ? undefined : startOf(first.srcToken);
  if (start === undefined) return { reason: 'its first entry has no place in the text' };
  return map.flow === true
    ? intoFlow(text, map, { start, entry: `${idKey(first.key, id)}` })
    : intoBlock(text, entry.item, { start, id });
}

/** A line of its own below the key, above comments that belong to the first entry. `start`: of the first entry. */
function intoBlock(
  text: string,
  item: CST.CollectionItem,
  { start, id }: { readonly start: number; readonly id: string },
): Edit {
  const last = item.sep?.findLast(isSignificant);
  const head = last === undefined ? start : last.offset + last.source.length;
  const lineBreak = text.slice(head, start).indexOf('\n');
  const ownLine = text.lastIndexOf('\n', start - 1) + 1;
  // In `? key` and `: title: A` the mapping begins behind an indicator, and its column is its indentation.
  if (lineBreak < 0) {
    const insert = `${idEntry(id)}${lineEndAt(text, start)}${' '.repeat(start - ownLine)}`;
    return { from: start, to: start, text: insert };
  }
  const from = head + lineBreak + 1;
  return { from, to: from, text: `${text.slice(ownLine, start)}${idEntry(id)}${lineEndAt(text, from - 1)}` };
}

/** Before the first entry; on a line of its own where that one has one. */
function intoFlow(
  text: string,
  map: YAMLMap,
  { start, entry }: { readonly start: number; readonly entry: string },
): Edit {
  const open = (map.range?.[0] ?? start - 1) + 1;
  const lineBreak = text.slice(open, start).indexOf('\n');
  if (lineBreak < 0) return { from: start, to: start, text: `${entry}, ` };
  const from = open + lineBreak + 1;
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  return { from, to: from, text: `${indent}${entry},${lineEndAt(text, from - 1)}` };
}

/** Into `{}`, which may contain spaces and comments. */
function intoEmpty(
  text: string,
  { key, inFlow, map }: Entry & { readonly map: YAMLMap },
  id: string,
): Edit | Refused {
  const open = map.range?.[0];
  if (open === undefined) return { reason: 'its value has no place in the text' };
  const from = open + 1;
  const insert = ` ${idKey(inFlow ? key : undefined, id)}${text[from] === '}' ? ' ' : ''}`;
  return { from, to: from, text: insert };
}

/** In place of `~`, or of nothing. */
function inPlaceOfNothing(
  { key, item, inFlow }: Entry,
  value: Scalar | null | undefined,
  id: string,
): Edit | Refused {
  const map = `{ ${idKey(inFlow ? key : undefined, id)} }`;
  if (value?.tag !== undefined) return { reason: `its value has the tag ${value.tag}` };
  if (value?.range && (value.source ?? '') !== '')
    return { from: value.range[0], to: value.range[1], text: map };
  const colon = item.sep?.find(({ type }) => type === 'map-value-ind');
  if (colon !== undefined) return { from: colon.offset + 1, to: colon.offset + 1, text: ` ${map}` };
  const end = isNode(key) ? key.range?.[1] : undefined;
  const isExplicit = item.start.some(({ type }) => type === 'explicit-key-ind');
  if (end === undefined || isExplicit) return { reason: 'its key has no value' };
  return { from: end, to: end, text: `: ${map}` };
}

/** The offset of the first character of an entry, including its `?`, anchor or tag. */
function startOf(item: CST.CollectionItem): number | undefined {
  return (item.start.find(isSignificant) ?? item.key ?? item.sep?.find(isSignificant))?.offset;
}

function isSignificant({ type }: CST.SourceToken): boolean {
  return !/^(?:space|newline|comment|comma)$/.test(type);
}

/** The line end of the line on which an offset lies. */
function lineEndAt(text: string, offset: number): string {
  const next = text.indexOf('\n', offset);
  const end = next < 0 ? text.lastIndexOf('\n', offset) : next;
  return text[end - 1] === '\r' ? '\r\n' : '\n';
}

/** The entry inside braces, in the manner of JSON where the other key is. */
function idKey(neighbour: unknown, id: string): string {
  const isJson = isScalar(neighbour) && neighbour.type === 'QUOTE_DOUBLE';
  return isJson ? `"id": ${idText(id, 'quoted')}` : idEntry(id);
}

function idText(id: string, style: 'plain' | 'quoted'): string {
  // Plain only where every reader of YAML sees text, those of older versions too.
  const isPlain =
    /^\w[\w.-]*$/.test(id) && (['core', 'yaml-1.1'] as const).every((schema) => parse(id, { schema }) === id);
  if (isPlain && style === 'plain') return id;
  return JSON.stringify(id.replaceAll('${', () => '$${')).replace(
    /[\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

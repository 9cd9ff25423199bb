/** Field values as text: in one line if they are short, otherwise as a difference of lines or items. Pure. */
import { diffArrays } from 'diff';
import type { FieldChange } from '../../plan/plan.ts';
import { countOf } from '../../util/count.ts';
import { isRecord, sameJson, stableStringify } from '../../util/json.ts';
import { Secret } from '../../util/secret.ts';
import { quote, safeText } from '../text/safe-text.ts';

type ShownValue = FieldChange['after'];

export type FieldReading = Pick<FieldChange, 'reads' | 'called'>;

/** `changed` has both values; `gap` replaces omitted unchanged lines. */
export interface DiffLine {
  readonly type: 'added' | 'removed' | 'changed' | 'same' | 'gap';
  readonly text: string;
}

export const diffSigns = { added: '+', removed: '-', changed: '~', same: ' ', gap: '⋮' } as const;

export type ShownChange =
  /** If `before` is absent, only the current (or former) value matters. */
  | { readonly type: 'inline'; readonly before?: string; readonly after: string }
  | { readonly type: 'lines'; readonly lines: readonly DiffLine[] };

/** Longer lists and mappings take several lines. */
const inlineLength = 60;

/** Number of unchanged lines around a change. */
const context = 2;

/** Shows the value of a new or deleted object, which has no counterpart. */
export function showWhole(value: ShownValue, reading: FieldReading = {}): ShownChange {
  const parts = partsOf(value, reading);
  if (parts !== undefined) return { type: 'inline', after: partsText(value, parts) };
  const line = inline(value, reading);
  if (line !== undefined) return { type: 'inline', after: line };
  return { type: 'lines', lines: linesAs('added', linesOf(value, reading)) };
}

export function showChange({ before, after, ...reading }: FieldChange): ShownChange {
  const [former, next] = [inline(before, reading), inline(after, reading)];
  if (isSecret(before) || isSecret(after)) return secretChange(before, after);
  // The service shows the default in place of the value that it has.
  const whole = sameJson(before, after) ? showWhole(after, reading) : undefined;
  if (whole?.type === 'inline') return { ...whole, before: 'not shown' };
  const [had, has] = [partsOf(before, reading), partsOf(after, reading)];
  if (had !== undefined || has !== undefined)
    return { type: 'lines', lines: mapDiff(had ?? mapOf(before), has ?? mapOf(after), reading) };
  const bothLists = Array.isArray(before) && Array.isArray(after);
  const bothMaps = isMap(before) && isMap(after);
  if (!bothLists && !bothMaps && former !== undefined && next !== undefined) {
    return { type: 'inline', before: former, after: next };
  }
  if (isShallowMap(before) && isShallowMap(after))
    return { type: 'lines', lines: mapDiff(before, after, reading) };
  const lines = lineDiff(linesOf(before, reading), linesOf(after, reading));
  if (lines.some(({ type }) => type !== 'same')) return { type: 'lines', lines: withGaps(lines) };
  // The difference is not visible in lines, for example a line break at the end.
  return { type: 'inline', before: exact(before), after: exact(after) };
}

type ShownMap = Readonly<Record<string, Exclude<ShownValue, undefined>>>;

function mapOf(value: ShownValue): ShownMap {
  return isMap(value) ? value : {};
}

/** Parts of a document, and its source unless that is a file. */
function partsOf(value: ShownValue, { reads }: FieldReading): ShownMap | undefined {
  if (reads !== 'parts' || !isMap(value) || !isMap(value.parts)) return undefined;
  return { ...(typeof value.url === 'string' ? { url: value.url } : {}), ...value.parts };
}

function partsText(value: ShownValue, parts: ShownMap): string {
  const { file } = mapOf(value);
  const name = isRecord(file) ? (file.file ?? file.$file) : undefined;
  const operations = Object.keys(parts).filter((part) => /^[A-Z]+ \//.test(part));
  const count = countOf(operations.length, 'operation');
  return typeof name === 'string' ? `${safeText(name)} (${count})` : count;
}

function secretChange(before: ShownValue, after: ShownValue): ShownChange {
  if (isSecret(before) && isSecret(after)) return { type: 'inline', after: '(secret, changed)' };
  return { type: 'inline', before: inline(before) ?? '(hidden)', after: inline(after) ?? '(hidden)' };
}

/** Undefined if the value is too long or has several lines. */
export function inline(value: ShownValue, reading: FieldReading = {}): string | undefined {
  if (value === null || value === undefined) return reading.reads === 'role' ? 'guest' : '(none)';
  if (isSecret(value)) return '(secret)';
  if (typeof value === 'string') return inlineText(value, reading);
  if (typeof value !== 'object') return String(value);
  const reference = referenceAddress(value);
  if (reference !== undefined) return safeText(reference);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item: ShownValue) => inline(item))
    : Object.entries(value).map(([key, inner]) => entryText(key, inner as ShownValue, reading));
  if (parts.includes(undefined)) return undefined;
  const joined = parts.join(', ');
  const mapping = reading.reads === 'people' ? joined : `{ ${joined} }`;
  const text = isList ? `[${joined}]` : parts.length === 0 ? '{}' : mapping;
  return text.length <= inlineLength ? text : undefined;
}

/** Quotes a text unless it is an enumerated word; shows ids as names. */
function inlineText(text: string, { reads, called }: FieldReading): string | undefined {
  const name = called !== undefined && Object.hasOwn(called, text) ? called[text] : undefined;
  if (name !== undefined) return safeText(name);
  if (text.includes('\n')) return undefined;
  return reads === undefined || /\s|^$/.test(text) ? quote(text) : safeText(text);
}

/** A mapping entry: `ada@acme.dev (owner)`, or `audience: "people"`. */
function entryText(key: string, value: ShownValue, { reads, called }: FieldReading): string | undefined {
  if (reads === 'parts' && key !== 'url') return safeText(key);
  if (reads === 'people') return `${calledBy(key, called)} (${inline(value, { reads: 'role' }) ?? '…'})`;
  const text = inline(value);
  return text === undefined ? undefined : `${safeText(key)}: ${text}`;
}

function calledBy(name: string, called: FieldReading['called'] = {}): string {
  return safeText(Object.hasOwn(called, name) ? (called[name] ?? name) : name);
}

function linesOf(value: ShownValue, reading: FieldReading): readonly string[] {
  if (typeof value === 'string') return value.replace(/\n$/, '').split('\n').map(safeText);
  if (Array.isArray(value)) return value.flatMap((item: ShownValue) => inline(item) ?? nestedLines(item));
  if (isShallowMap(value)) {
    return Object.entries(value).map(
      ([key, inner]) => entryText(key, inner, reading) ?? `${safeText(key)}: …`,
    );
  }
  if (isMap(value)) return nestedLines(value);
  return value === null || value === undefined ? [] : [inline(value) ?? ''];
}

function nestedLines(value: ShownValue): readonly string[] {
  return stableStringify(value, 2).split('\n').map(safeText);
}

function exact(value: ShownValue): string {
  return typeof value === 'string' ? quote(value) : safeText(stableStringify(value));
}

/** Texts with more differing lines are shown in full, one after the other. */
const maxEdits = 1000;

function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: maxEdits });
  if (parts === undefined) return [...linesAs('removed', before), ...linesAs('added', after)];
  return parts.flatMap(({ added, removed, value }) =>
    linesAs(added ? 'added' : removed ? 'removed' : 'same', value),
  );
}

function linesAs(type: DiffLine['type'], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ type, text }));
}

function mapDiff(before: ShownMap, after: ShownMap, reading: FieldReading): readonly DiffLine[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap((key): readonly DiffLine[] => {
    const [was, is] = [before[key], after[key]];
    const entry = (value: ShownValue) => entryText(key, value, reading) ?? `${safeText(key)}: …`;
    if (was === undefined) return [{ type: 'added', text: entry(is) }];
    if (is === undefined) return [{ type: 'removed', text: entry(was) }];
    if (reading.reads === 'parts' && key !== 'url')
      return was === is ? [] : [{ type: 'changed', text: entry(is) }];
    if (entry(was) === entry(is)) return [];
    const each: FieldReading = reading.reads === 'people' ? { reads: 'role' } : {};
    const values = `${inline(was, each) ?? '…'} → ${inline(is, each) ?? '…'}`;
    return [{ type: 'changed', text: `${calledBy(key, reading.called)}: ${values}` }];
  });
}

/** Omits long stretches of equal lines. */
function withGaps(lines: readonly DiffLine[]): readonly DiffLine[] {
  const kept = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ type }) => type !== 'same'),
  );
  const shown: DiffLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    if (line === undefined) break;
    let end = at;
    while (end < lines.length && kept[end] === false) end += 1;
    shown.push(end - at > 1 ? { type: 'gap', text: countOf(end - at, 'unchanged line') } : line);
    at = Math.max(end, at + 1);
  }
  return shown;
}

function isSecret(value: ShownValue): boolean {
  return value instanceof Secret || (isRecord(value) && typeof value.$secret === 'string');
}

function referenceAddress(value: ShownValue): string | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value.$id === 'string' ? value.$id : undefined;
}

function isMap(value: ShownValue): value is ShownMap {
  return isRecord(value) && !isSecret(value) && referenceAddress(value) === undefined;
}

function isShallowMap(value: ShownValue): value is ShownMap {
  return isMap(value) && Object.values(value).every((inner) => !isMap(inner) && inline(inner) !== undefined);
}

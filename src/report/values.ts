/** Field values as text: in one line where they are short, as a difference of lines or items where they are not. Pure. */
import { diffArrays } from 'diff';
import type { FieldChange } from '../plan/plan.ts';
import { countOf } from '../util/count.ts';
import { isRecord, stableStringify } from '../util/json.ts';
import { Secret } from '../util/secret.ts';
import { quote, safeText } from './safe-text.ts';

type ShownValue = FieldChange['after'];

/** One line of a difference. `gap` replaces unchanged lines that are left out. */
export interface DiffLine {
  readonly type: 'added' | 'removed' | 'same' | 'gap';
  readonly text: string;
}

/** A field's change, ready to be laid out. */
export type ShownChange =
  /** `before` is absent where only what is now (or was) matters. */
  | { readonly type: 'inline'; readonly before?: string; readonly after: string }
  | { readonly type: 'lines'; readonly lines: readonly DiffLine[] };

/** Longest list or mapping that is shown in one line. */
const inlineLength = 60;

/** Unchanged lines that are kept around a change. */
const context = 2;

/** How the value of an object that is new or goes away is shown: there is nothing to compare it with. */
export function showWhole(value: ShownValue): ShownChange {
  const line = inline(value);
  if (line !== undefined) return { type: 'inline', after: line };
  return { type: 'lines', lines: linesAs('added', linesOf(value)) };
}

/** How a change is shown. */
export function showChange({ before, after }: FieldChange): ShownChange {
  const [former, next] = [inline(before), inline(after)];
  if (isSecret(before) || isSecret(after)) {
    if (isSecret(before) && isSecret(after)) return { type: 'inline', after: '(secret, changed)' };
    return { type: 'inline', before: former ?? '(hidden)', after: next ?? '(hidden)' };
  }
  const bothLists = Array.isArray(before) && Array.isArray(after);
  const bothMaps = isMap(before) && isMap(after);
  if (!bothLists && !bothMaps && former !== undefined && next !== undefined) {
    return { type: 'inline', before: former, after: next };
  }
  if (isShallowMap(before) && isShallowMap(after)) return { type: 'lines', lines: mapDiff(before, after) };
  const lines = lineDiff(linesOf(before), linesOf(after));
  if (lines.some(({ type }) => type !== 'same')) return { type: 'lines', lines: withGaps(lines) };
  // What differs does not show in lines, for example a line break at the end.
  return { type: 'inline', before: exact(before), after: exact(after) };
}

/** The value in one line; undefined where it is too long or holds lines. */
export function inline(value: ShownValue): string | undefined {
  if (value === null || value === undefined) return '(none)';
  if (isSecret(value)) return '(secret)';
  if (typeof value === 'string') return value.includes('\n') ? undefined : quote(value);
  if (typeof value !== 'object') return String(value);
  const reference = referenceAddress(value);
  if (reference !== undefined) return safeText(reference);
  const parts = Array.isArray(value)
    ? value.map(inline)
    : Object.entries(value).map(([key, inner]) => {
        const text = inline(inner as ShownValue);
        return text === undefined ? undefined : `${safeText(key)}: ${text}`;
      });
  if (parts.includes(undefined)) return undefined;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  const text =
    parts.length === 0 ? `${open}${close}`.replaceAll(' ', '') : `${open}${parts.join(', ')}${close}`;
  return text.length <= inlineLength ? text : undefined;
}

/** The value in as many lines as it needs. */
function linesOf(value: ShownValue): readonly string[] {
  if (typeof value === 'string') return value.replace(/\n$/, '').split('\n').map(safeText);
  if (Array.isArray(value)) return value.flatMap((item: ShownValue) => inline(item) ?? nestedLines(item));
  if (isShallowMap(value)) {
    return Object.entries(value).map(([key, inner]) => `${safeText(key)}: ${inline(inner) ?? '…'}`);
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

/** Texts that have more lines than this in them that differ are shown one after the other, whole. */
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

function mapDiff(
  before: Readonly<Record<string, ShownValue>>,
  after: Readonly<Record<string, ShownValue>>,
): readonly DiffLine[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap((key): readonly DiffLine[] => {
    const [was, is] = [before[key], after[key]];
    const line = (value: ShownValue) => `${safeText(key)}: ${inline(value) ?? '…'}`;
    if (was === undefined) return [{ type: 'added', text: line(is) }];
    if (is === undefined) return [{ type: 'removed', text: line(was) }];
    if (line(was) === line(is)) return [];
    return [
      { type: 'removed', text: line(was) },
      { type: 'added', text: line(is) },
    ];
  });
}

/** Leaves out long stretches of lines that are the same. */
function withGaps(lines: readonly DiffLine[]): readonly DiffLine[] {
  const kept = lines.map((line, at) => {
    if (line.type !== 'same') return true;
    return lines.slice(Math.max(0, at - context), at + context + 1).some(({ type }) => type !== 'same');
  });
  const shown: DiffLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    if (line === undefined) break;
    let end = at;
    while (end < lines.length && kept[end] === false) end += 1;
    if (end - at > 1) {
      shown.push({ type: 'gap', text: countOf(end - at, 'unchanged line') });
      at = end;
    } else {
      shown.push(line);
      at += 1;
    }
  }
  return shown;
}

function isSecret(value: ShownValue): boolean {
  return value instanceof Secret || (isRecord(value) && typeof value.$secret === 'string');
}

/** The address that a reference names; undefined where the value is none. */
function referenceAddress(value: ShownValue): string | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value.$id === 'string' ? value.$id : undefined;
}

function isMap(value: ShownValue): value is Readonly<Record<string, Exclude<ShownValue, undefined>>> {
  return isRecord(value) && !isSecret(value) && referenceAddress(value) === undefined;
}

/** A mapping whose values each fit in a line. */
function isShallowMap(value: ShownValue): value is Readonly<Record<string, Exclude<ShownValue, undefined>>> {
  return isMap(value) && Object.values(value).every((inner) => !isMap(inner) && inline(inner) !== undefined);
}

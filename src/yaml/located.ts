/** Values with their source ranges: manifests between parsing and validation. */
import type { SourceRange } from '../util/diagnostic.ts';
import { remembered } from '../util/remembered.ts';
import { Secret } from '../util/secret.ts';

/** Limits recursion in readers and writers. */
export const maxDepth = 200;

/** `interpolated`: the whole value comes from `${…}`, so `"true"` may mean true. */
export interface LocatedScalar {
  readonly type: 'scalar';
  readonly value: null | boolean | number | string | Secret;
  readonly at: SourceRange;
  readonly interpolated?: true;
  /** A number or boolean as written in the file: `007`, `Yes`. */
  readonly written?: string;
  /** The text as written, if it contains a variable or secret of the environment. */
  readonly fromInput?: string;
  /** True if the value could not be read, which was reported. Readers skip it silently. */
  readonly broken?: true;
  /** The text with unset variables, if they are not an error. It may be a name. */
  readonly unfilled?: string;
}

interface LocatedList {
  readonly type: 'list';
  readonly items: readonly Located[];
  readonly at: SourceRange;
}

export interface LocatedEntry {
  readonly key: string;
  readonly keyAt: SourceRange;
  readonly value: Located;
}

export interface LocatedMap {
  readonly type: 'map';
  readonly entries: readonly LocatedEntry[];
  readonly at: SourceRange;
}

export type Located = LocatedScalar | LocatedList | LocatedMap;

/** True if the number can represent the text: up to 15 significant digits, or a longer integer that prints the same. */
export function isExact(value: number, written: string): boolean {
  if (!Number.isFinite(value) || !/^[-+]?\d+$/.test(written)) return Number.isFinite(value);
  return written.replace(/^[-+]?0*|0+$/g, '').length <= 15 || String(value) === written.replace('+', '');
}

export function entryOf(map: LocatedMap, key: string): LocatedEntry | undefined {
  return map.entries.find((entry) => entry.key === key);
}

export function plainOf(located: Located): unknown {
  if (located.type === 'scalar') return located.value;
  if (located.type === 'list') return located.items.map(plainOf);
  const plain: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of located.entries) plain[key] = plainOf(value);
  return { ...plain };
}

/** Items of a list, or values of a mapping. */
export function partsOf(located: Located): readonly Located[] {
  if (located.type === 'scalar') return [];
  return located.type === 'list' ? located.items : located.entries.map(({ value }) => value);
}

export function findScalar(
  located: Located,
  isWanted: (scalar: LocatedScalar) => boolean,
): LocatedScalar | undefined {
  if (located.type === 'scalar') return isWanted(located) ? located : undefined;
  for (const part of partsOf(located)) {
    const found = findScalar(part, isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Undefined for secrets: the text (an id, a name, an address) is shown in plans and messages. */
export function scalarText(located: Located | undefined): string | undefined {
  if (located?.type !== 'scalar') return undefined;
  return typeof located.value === 'string' ? located.value : undefined;
}

/** Accepts text with unset variables too, for messages. */
export function nameText(located: Located | undefined): string | undefined {
  return scalarText(located) ?? (located?.type === 'scalar' ? located.unfilled : undefined);
}

export function suggestForSecret(located: Located): string | undefined {
  const isSecret = located.type === 'scalar' && located.value instanceof Secret;
  return isSecret ? 'use ${env:…}: the value is shown in plans and messages' : undefined;
}

export function brokenAt(at: SourceRange): LocatedScalar {
  return { type: 'scalar', value: null, at, broken: true };
}

export function isBroken(located: Located): boolean {
  return located.type === 'scalar' && located.broken === true;
}

export function holdsBroken(located: Located): boolean {
  return findScalar(located, isBroken) !== undefined;
}

/** Counts a shared value at each occurrence, but computes its size once. */
export function sizeOf(located: Located): number {
  return located.type === 'scalar' ? 1 : collectionSize(located);
}

const collectionSize = remembered((located: Located): number =>
  partsOf(located).reduce((sum, part) => sum + sizeOf(part), 1),
);

export function describe(located: Located): string {
  if (located.type === 'scalar') return describeValue(located.value);
  return located.type === 'list' ? 'a list' : 'a mapping';
}

export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'missing';
  if (value instanceof Secret) return 'a secret';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return `text (${JSON.stringify(value.slice(0, 40))})`;
  return `${typeof value === 'number' ? 'a number' : 'a boolean'} (${String(value)})`;
}

export function partAt(located: Located, path: readonly PropertyKey[]): Located {
  let part = located;
  for (const step of path) {
    const value = part.type === 'map' ? entryOf(part, String(step))?.value : undefined;
    const next: Located | undefined = part.type === 'list' ? part.items[Number(step)] : value;
    if (next === undefined) return part;
    part = next;
  }
  return part;
}

/** Values that know where they were written: the form of manifests between parsing and validation. */
import type { SourceRange } from '../util/diagnostic.ts';
import { Secret } from '../util/secret.ts';

/** A scalar. `interpolated`: it came from `${…}` as a whole, so that `"true"` may mean true. */
export interface LocatedScalar {
  readonly type: 'scalar';
  readonly value: null | boolean | number | string | Secret;
  readonly at: SourceRange;
  readonly interpolated?: true;
  /** How a number or boolean is spelled in the file: `007`, `Yes`. */
  readonly written?: string;
  /** The text as written, where a variable or a secret of the environment is in it. */
  readonly fromInput?: string;
  /** The value could not be read, which has been reported: readers skip it silently. */
  readonly broken?: true;
  /** The text with variables that are not set, where that is not an error: it may stand for a name. */
  readonly unfilled?: string;
}

/** A list. */
interface LocatedList {
  readonly type: 'list';
  readonly items: readonly Located[];
  readonly at: SourceRange;
}

/** One entry of a mapping. */
export interface LocatedEntry {
  readonly key: string;
  readonly keyAt: SourceRange;
  readonly value: Located;
}

/** A mapping, in the order as written. */
export interface LocatedMap {
  readonly type: 'map';
  readonly entries: readonly LocatedEntry[];
  readonly at: SourceRange;
}

export type Located = LocatedScalar | LocatedList | LocatedMap;

/** The entry of a mapping with a key. */
export function entryOf(map: LocatedMap, key: string): LocatedEntry | undefined {
  return map.entries.find((entry) => entry.key === key);
}

/** The plain value; secrets stay what they are. */
export function plainOf(located: Located): unknown {
  if (located.type === 'scalar') return located.value;
  if (located.type === 'list') return located.items.map(plainOf);
  const plain: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of located.entries) plain[key] = plainOf(value);
  return { ...plain };
}

/** The first text with a variable or a secret of the environment in a value. */
export function inputIn(located: Located): string | undefined {
  if (located.type === 'scalar') return located.fromInput;
  const inner = located.type === 'list' ? located.items : located.entries.map(({ value }) => value);
  for (const one of inner) {
    const input = inputIn(one);
    if (input !== undefined) return input;
  }
  return undefined;
}

/**
 * The text of a scalar, where it is text. A secret is not: values read here (ids, names, addresses) are shown in plans
 * and messages.
 */
export function scalarText(located: Located | undefined): string | undefined {
  if (located?.type !== 'scalar') return undefined;
  return typeof located.value === 'string' ? located.value : undefined;
}

/** The text of a scalar, or of one that only lacks variables: what messages call something by. */
export function nameText(located: Located | undefined): string | undefined {
  return scalarText(located) ?? (located?.type === 'scalar' ? located.unfilled : undefined);
}

/** What to do about a secret where none is allowed; undefined for other values. */
export function suggestForSecret(located: Located): string | undefined {
  const isSecret = located.type === 'scalar' && located.value instanceof Secret;
  return isSecret ? 'use ${env:…}: the value is shown in plans and messages' : undefined;
}

/** In place of a value that could not be read. */
export function brokenAt(at: SourceRange): LocatedScalar {
  return { type: 'scalar', value: null, at, broken: true };
}

/** True for a value that could not be read. */
export function isBroken(located: Located): boolean {
  return located.type === 'scalar' && located.broken === true;
}

/** True for a value that could not be read, or has one inside. */
export function holdsBroken(located: Located): boolean {
  if (located.type === 'scalar') return isBroken(located);
  if (located.type === 'list') return located.items.some(holdsBroken);
  return located.entries.some(({ value }) => holdsBroken(value));
}

/** How many values it is made of, itself included. */
export function sizeOf(located: Located): number {
  if (located.type === 'scalar') return 1;
  const parts = located.type === 'list' ? located.items : located.entries.map(({ value }) => value);
  return parts.reduce((size, part) => size + sizeOf(part), 1);
}

/** What kind of value it is. */
export function describe(located: Located): string {
  if (located.type === 'list') return 'a list';
  if (located.type === 'map') return 'a mapping';
  if (located.value === null) return 'null';
  if (located.value instanceof Secret) return 'a secret';
  if (typeof located.value === 'number') return `a number (${located.value})`;
  if (typeof located.value === 'boolean') return `a boolean (${located.value})`;
  return `text (${JSON.stringify(located.value.slice(0, 40))})`;
}

/** The part of a value at a path, or the nearest part above it. */
export function partAt(located: Located, path: readonly PropertyKey[]): Located {
  let part = located;
  for (const step of path) {
    const next: Located | undefined =
      part.type === 'map'
        ? entryOf(part, String(step))?.value
        : part.type === 'list'
          ? part.items[Number(step)]
          : undefined;
    if (next === undefined) return part;
    part = next;
  }
  return part;
}

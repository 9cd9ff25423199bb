export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** True for objects, but not for null and arrays. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list with other items, or a mapping with other values; any other value is returned unchanged. */
export function mapInside(value: unknown, change: (inner: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => change(inner, ''));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)]));
}

/** The records of a list; none of another value. */
export function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return (Array.isArray(value) ? (value as readonly unknown[]) : []).filter(isRecord);
}

/** Undefined if the text is not JSON. */
export function parsedJson(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

/** Sorts keys; `indent` as in JSON.stringify. */
export function stableStringify(value: unknown, indent?: number): string {
  return JSON.stringify(sortKeys(value), null, indent) ?? 'null';
}

const partsAtMost = 1000;

/** The text of stableStringify in pieces, so that a large value is never a single string. */
export function* stablePieces(value: unknown, indent = 0, depth = 0): Generator<string, void, void> {
  const line = (at: number) => (indent === 0 ? '' : `\n${' '.repeat(indent * at)}`);
  if (partsIn(value, partsAtMost) <= partsAtMost) {
    const text = stableStringify(value, indent);
    return yield depth === 0 || indent === 0 ? text : text.replaceAll('\n', line(depth));
  }
  const plain = plainOf(value);
  const isList = Array.isArray(plain);
  const entries = isList ? plain.entries() : sortedEntries(isRecord(plain) ? plain : {});
  let separator = isList ? '[' : '{';
  for (const [key, inner] of entries) {
    const name = isList ? '' : `${JSON.stringify(key)}:${indent === 0 ? '' : ' '}`;
    yield `${separator}${line(depth + 1)}${name}`;
    yield* stablePieces(inner, indent, depth + 1);
    separator = ',';
  }
  yield `${line(depth)}${isList ? ']' : '}'}`;
}

/** Counts the value and its parts, up to slightly more than `most`. */
function partsIn(value: unknown, most: number): number {
  const plain = plainOf(value);
  if (!Array.isArray(plain) && !isRecord(plain)) return 1;
  let count = 1;
  for (const inner of Array.isArray(plain) ? plain : Object.values(plain)) {
    count += partsIn(inner, most - count);
    if (count > most) break;
  }
  return count;
}

/** Keeps the order of JSON.stringify: integer keys come first, as in all objects. */
function sortedEntries(value: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  const isWritten = (inner: unknown) => plainOf(inner) !== undefined && typeof inner !== 'function';
  const keys = Object.keys(value).filter((key) => isWritten(value[key]));
  return Object.entries(Object.fromEntries(keys.sort().map((key) => [key, value[key]])));
}

function plainOf(value: unknown): unknown {
  return isRecord(value) && typeof value.toJSON === 'function' ? (value.toJSON as () => unknown)() : value;
}

/** Returns the value itself if its keys are sorted, because copying large values is the main cost. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return sortedItems(value);
  if (!isRecord(value)) return value;
  const plain = plainOf(value);
  if (!isRecord(plain)) return plain;
  const keys = Object.keys(plain);
  const inOrder = keys.every((key, at) => at === 0 || (keys[at - 1] ?? '') < key);
  if (!inOrder) keys.sort();
  const sorted = keys.map((key): [string, unknown] => [key, sortKeys(plain[key])]);
  const isSame = inOrder && sorted.every(([key, inner]) => inner === plain[key]);
  return isSame ? plain : Object.fromEntries(sorted);
}

function sortedItems(items: readonly unknown[]): readonly unknown[] {
  const sorted = items.map(sortKeys);
  return sorted.every((item, at) => item === items[at]) ? items : sorted;
}

/** Independent of key order. */
export function sameJson(left: unknown, right: unknown): boolean {
  return left === right || stableStringify(left) === stableStringify(right);
}

/** JSON values: their type, comparison by meaning and a text form that does not depend on key order. */

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** True for objects with keys: not null, not arrays. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as JSON text with object keys sorted; `indent` as in JSON.stringify. */
export function stableStringify(value: unknown, indent?: number): string {
  return JSON.stringify(sortKeys(value), null, indent) ?? 'null';
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const plain = typeof value.toJSON === 'function' ? (value.toJSON as () => unknown)() : value;
  if (!isRecord(plain)) return plain;
  const sorted: [string, unknown][] = Object.keys(plain)
    .sort()
    .map((key) => [key, sortKeys(plain[key])]);
  return Object.fromEntries(sorted);
}

/** True when both values are the same JSON, whatever the order of their keys. */
export function sameJson(left: unknown, right: unknown): boolean {
  return left === right || stableStringify(left) === stableStringify(right);
}

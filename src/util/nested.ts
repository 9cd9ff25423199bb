/** Values in nested mappings, by a path of keys with dots: `styling.theme`. */
import { isRecord } from './json.ts';

export function valueAt(record: unknown, path: string): unknown {
  const inside = (value: unknown, key: string): unknown =>
    isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return path.split('.').reduce(inside, record);
}

/** `[['a.b', 1], ['a.c', 2]]` → `{ a: { b: 1, c: 2 } }` */
export function nested<T>(entries: Iterable<readonly [path: string, value: T]>): Record<string, Nested<T>> {
  const whole: Record<string, Nested<T>> = {};
  for (const [path, value] of entries) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let inner = whole;
    for (const key of keys) {
      const next = Object.hasOwn(inner, key) ? (inner[key] as Record<string, Nested<T>>) : {};
      inner[key] = next;
      inner = next;
    }
    inner[last] = value;
  }
  return whole;
}

export type Nested<T> = T | { readonly [key: string]: Nested<T> };

/** Merges like RFC 7396: mappings merge, null removes a key, everything else replaces. */
export function merged(whole: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const entries = new Map(isRecord(whole) ? Object.entries(whole) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) entries.delete(key);
    else entries.set(key, merged(entries.get(key), value));
  }
  return Object.fromEntries(entries);
}

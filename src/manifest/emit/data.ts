/** The data of a manifest that is to be written: plain values whose mappings keep the order of their keys. */
import { isRecord } from '../../util/json.ts';

/** A mapping, in the order in which it is written; also keys that are whole numbers keep their place. */
export type DataMap = ReadonlyMap<string, Data>;

/** A value of a manifest. */
export type Data = null | boolean | number | string | readonly Data[] | DataMap;

/** A JSON value as data; the order of keys is that of the object. Anything else, such as undefined, is null. */
export function dataOf(value: unknown): Data {
  if (Array.isArray(value)) return value.map(dataOf);
  if (isRecord(value)) return new Map(Object.entries(value).map(([key, inner]) => [key, dataOf(inner)]));
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? value : null;
}

/** True for a mapping. */
export function isDataMap(value: Data): value is DataMap {
  return value instanceof Map;
}

/** How deep data is nested: 0 for a scalar, 1 for a list of scalars. */
export function depthOf(value: Data): number {
  const inner = isDataMap(value) ? [...value.values()] : Array.isArray(value) ? value : undefined;
  return inner === undefined
    ? 0
    : 1 + inner.reduce((most: number, one: Data) => Math.max(most, depthOf(one)), 0);
}

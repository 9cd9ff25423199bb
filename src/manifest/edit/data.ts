/** What YAML texts say, as ordered data without places: what edits ask for, and what they are checked against. */
import { type Data, isDataMap } from '../emit/data.ts';

/** Where a value is inside a document: keys of mappings, and indexes of lists. */
export type DataPath = readonly (string | number)[];

/** True for a list. */
export function isDataList(data: Data | undefined): data is readonly Data[] {
  return Array.isArray(data);
}

/** True when two values are the same, the order of keys included. Values that aliases share are compared once. */
export function sameData(left: Data, right: Data, known: Compared = new Map()): boolean {
  if (Object.is(left, right) || left === right) return true;
  if (isDataList(left)) {
    if (!isDataList(right) || left.length !== right.length) return false;
    return remembered(known, left, right, () =>
      left.every((item, index) => sameData(item, right[index] ?? null, known)),
    );
  }
  if (!isDataMap(left) || !isDataMap(right) || left.size !== right.size) return false;
  return remembered(known, left, right, () => {
    const others = [...right];
    return [...left].every(([key, value], index) => {
      const [otherKey, other = null] = others[index] ?? [];
      return key === otherKey && sameData(value, other, known);
    });
  });
}

/** Pairs that are being compared, or were found to be the same. */
type Compared = Map<object, Set<object>>;

function remembered(known: Compared, left: object, right: object, compare: () => boolean): boolean {
  const others = known.get(left) ?? new Set();
  if (others.has(right)) return true;
  known.set(left, others);
  others.add(right);
  const isSame = compare();
  if (!isSame) others.delete(right);
  return isSame;
}

/** The value at a path; undefined where there is none. */
export function dataAt(data: Data | undefined, path: DataPath): Data | undefined {
  return path.reduce<Data | undefined>((value, key) => {
    if (value !== undefined && isDataMap(value)) return value.get(String(key));
    return isDataList(value) && typeof key === 'number' ? value[key] : undefined;
  }, data);
}

/** The same data with another value at a path; the collections on the way must be there. */
export function withDataAt(data: Data, path: DataPath, change: (value: Data) => Data): Data {
  const [key, ...rest] = path;
  if (key === undefined) return change(data);
  if (isDataMap(data)) {
    const name = String(key);
    return new Map(
      [...data].map(([one, value]) => [one, one === name ? withDataAt(value, rest, change) : value]),
    );
  }
  if (!isDataList(data)) return data;
  return data.map((value, index) => (index === key ? withDataAt(value, rest, change) : value));
}

/** Text that means itself in a manifest: `${` is written as `$${`. */
export function literal(data: Data): Data {
  if (typeof data === 'string') return data.replaceAll('${', () => '$${');
  if (isDataList(data)) return data.map(literal);
  if (isDataMap(data)) return new Map([...data].map(([key, value]) => [key, literal(value)]));
  return data;
}

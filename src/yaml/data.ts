/** Plain values of a YAML text. Mappings keep the order of their keys, even of integers. */
import { isRecord } from '../util/json.ts';
import { greatest } from '../util/lists.ts';
import { rememberedIn } from '../util/remembered.ts';

export type DataMap = ReadonlyMap<string, Data>;

export type Data = null | boolean | number | string | readonly Data[] | DataMap;

export type DataPath = readonly (string | number)[];

/** Keeps the order of keys. Values that are not JSON, such as undefined, become null. */
export function dataOf(value: unknown): Data {
  if (Array.isArray(value)) return value.map(dataOf);
  if (isRecord(value)) return new Map(Object.entries(value).map(([key, inner]) => [key, dataOf(inner)]));
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? value : null;
}

export function isDataMap(value: Data | undefined): value is DataMap {
  return value instanceof Map;
}

export function isDataList(data: Data | undefined): data is readonly Data[] {
  return Array.isArray(data);
}

/** Examples: 0 for a scalar, 1 for a list of scalars. */
export function depthOf(value: Data): number {
  const inner = isDataMap(value) ? [...value.values()] : isDataList(value) ? value : undefined;
  return inner === undefined ? 0 : 1 + greatest(inner.map(depthOf));
}

/** Compares the order of keys too. Values shared by aliases are compared once. */
export function sameData(left: Data, right: Data): boolean {
  return new DataComparison(true).areSame(left, right);
}

/** Ignores the order of keys. */
export function sameEntries(left: Data, right: Data): boolean {
  return new DataComparison(false).areSame(left, right);
}

class DataComparison {
  readonly #isOrdered: boolean;
  readonly #known = new Map<object, Set<object>>();

  constructor(isOrdered: boolean) {
    this.#isOrdered = isOrdered;
  }

  areSame(left: Data, right: Data): boolean {
    if (Object.is(left, right) || left === right) return true;
    if (isDataList(left)) {
      if (!isDataList(right) || left.length !== right.length) return false;
      return this.#isKnown(left, right) || left.every((item, at) => this.areSame(item, right[at] ?? null));
    }
    if (!isDataMap(left) || !isDataMap(right) || left.size !== right.size) return false;
    return this.#isKnown(left, right) || this.#areSameMaps(left, right);
  }

  /** True if the two were compared before: the first difference ends the whole comparison. */
  #isKnown(left: object, right: object): boolean {
    const others = rememberedIn(this.#known, left, () => new Set<object>());
    const isKnown = others.has(right);
    others.add(right);
    return isKnown;
  }

  #areSameMaps(left: DataMap, right: DataMap): boolean {
    const keys = right.keys();
    for (const [key, value] of left) {
      if (this.#isOrdered && keys.next().value !== key) return false;
      const other = right.get(key);
      if (other === undefined || !this.areSame(value, other)) return false;
    }
    return true;
  }
}

export function dataAt(data: Data | undefined, path: DataPath): Data | undefined {
  return path.reduce<Data | undefined>((value, key) => {
    if (isDataMap(value)) return value.get(String(key));
    return isDataList(value) && typeof key === 'number' ? value[key] : undefined;
  }, data);
}

/** Escapes `${` as `$${`. */
export function literal<D extends Data>(data: D): D;
export function literal(data: Data): Data {
  if (typeof data === 'string') return data.replaceAll('${', () => '$${');
  if (isDataList(data)) return data.map(literal);
  if (isDataMap(data)) return new Map([...data].map(([key, value]) => [key, literal(value)]));
  return data;
}

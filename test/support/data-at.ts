/** Replaces a value at one place in the data of a YAML text. */
import { type Data, type DataPath, isDataList, isDataMap } from '../../src/yaml/data.ts';

/** Removes the value if `change` returns undefined. Its parent must exist. */
export function withDataAt(
  data: Data,
  path: DataPath,
  change: (value: Data | undefined) => Data | undefined,
): Data {
  const [key, ...rest] = path;
  if (key === undefined) return change(data) ?? null;
  const inner = (value: Data | undefined) =>
    rest.length === 0 ? change(value) : withDataAt(value ?? null, rest, change);
  if (isDataMap(data)) {
    const name = String(key);
    const value = inner(data.get(name));
    const entries = data.has(name) ? [...data] : [...data, [name, null] as const];
    return new Map(
      entries.flatMap(([one, own]) =>
        one !== name ? [[one, own]] : value === undefined ? [] : [[one, value]],
      ),
    );
  }
  if (!isDataList(data)) return data;
  return data.flatMap((value, index) => {
    const own = index === key ? inner(value) : value;
    return own === undefined ? [] : [own];
  });
}

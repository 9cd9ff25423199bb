/** Breaks an edit of a value into the smallest ones: what stays the same in a mapping or a list is not touched. */
import { type Data, type DataMap, isDataMap } from '../emit/data.ts';
import { type DataPath, dataAt, isDataList, sameData } from './data.ts';
import type { EntryNeighbour, Primitive } from './primitives.ts';

/** A value that a place is to have. */
export interface Setting {
  readonly path: DataPath;
  readonly value: Data;
  /** All keys that the mapping may have, in the order in which a new one is written among them. */
  readonly among?: readonly string[] | undefined;
}

/** The edits that give a place a value, from the data that is there. */
export function expandSetting(data: Data, { path, value, among }: Setting): readonly Primitive[] {
  const before = dataAt(data, path);
  if (before !== undefined) return changes(path, before, value);
  const [parent, key] = [path.slice(0, -1), path.at(-1)];
  if (key === undefined) return [];
  const holder = dataAt(data, parent);
  const place =
    holder !== undefined && isDataMap(holder) ? placeAmong(holder, String(key), among) : undefined;
  const entry = { type: 'insert', path: parent, entries: [[key, value]] } as const;
  return [place === undefined ? entry : { ...entry, place }];
}

/** Where a key is written: behind the last of those that come before it, else before the first that comes after it. */
export function placeAmong(
  holder: DataMap,
  key: string,
  among: readonly string[] | undefined,
): EntryNeighbour {
  const own = among?.indexOf(key) ?? -1;
  if (among === undefined || own < 0) return undefined;
  const before = among.slice(0, own).findLast((one) => holder.has(one));
  if (before !== undefined) return { after: before };
  const after = among.slice(own + 1).find((one) => holder.has(one));
  return after === undefined ? undefined : { before: after };
}

function changes(path: DataPath, before: Data, wanted: Data): readonly Primitive[] {
  if (sameData(before, wanted)) return [];
  if (isDataMap(before) && isDataMap(wanted) && wanted.size > 0 && before.size > 0)
    return inMap(path, before, wanted);
  const inner = isDataList(before) && isDataList(wanted) ? inList(path, before, wanted) : undefined;
  return inner ?? [{ type: 'value', path, value: wanted }];
}

function inMap(path: DataPath, before: DataMap, wanted: DataMap): readonly Primitive[] {
  const kept = [...before.keys()].filter((key) => wanted.has(key));
  // Nothing in common: another value altogether.
  if (kept.length === 0) return [{ type: 'value', path, value: wanted }];
  const inner = kept.flatMap((key) =>
    changes([...path, key], before.get(key) ?? null, wanted.get(key) ?? null),
  );
  const gone = [...before.keys()].filter((key) => !wanted.has(key));
  const removals = gone.map((key): Primitive => ({ type: 'remove', path: [...path, key] }));
  return [...inner, ...removals, ...additions(path, before, wanted)];
}

/** New keys, in runs that go to one place. */
function additions(path: DataPath, before: DataMap, wanted: DataMap): readonly Primitive[] {
  const runs: { readonly place: EntryNeighbour; readonly entries: [string, Data][] }[] = [];
  let previous: string | undefined;
  let isRun = false;
  const [firstKept] = [...wanted.keys()].filter((key) => before.has(key));
  for (const [key, value] of wanted) {
    if (before.has(key)) isRun = false;
    else if (isRun) runs.at(-1)?.entries.push([key, value]);
    else {
      const place: EntryNeighbour =
        previous !== undefined
          ? { after: previous }
          : firstKept === undefined
            ? undefined
            : { before: firstKept };
      runs.push({ place, entries: [[key, value]] });
      isRun = true;
    }
    previous = key;
  }
  return runs.map(({ place, entries }) => ({
    type: 'insert',
    path,
    entries,
    ...(place === undefined ? {} : { place }),
  }));
}

/** Items that leave, and those that are added at the end; undefined where that does not make the wanted list. */
function inList(
  path: DataPath,
  before: readonly Data[],
  wanted: readonly Data[],
): readonly Primitive[] | undefined {
  if (wanted.length === 0) return undefined;
  const kept: number[] = [];
  let next = 0;
  for (const [index, item] of before.entries()) {
    if (next < wanted.length && sameData(item, wanted[next] ?? null)) {
      kept.push(index);
      next += 1;
    }
  }
  if (kept.length === 0) {
    if (before.length !== wanted.length) return undefined;
    return before.flatMap((item, index) => changes([...path, index], item, wanted[index] ?? null));
  }
  const gone = [...before.keys()].filter((index) => !kept.includes(index)).reverse();
  const removals = gone.map((index): Primitive => ({ type: 'remove', path: [...path, index] }));
  const added = wanted.slice(next).map((item, index) => [kept.length + index, item] as const);
  if (added.length === 0) return removals;
  return [...removals, { type: 'insert', path, entries: added }];
}

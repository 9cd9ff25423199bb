/** Declared and live values of fields, as manifests write them. */
import type { Field } from '../../kinds/field.ts';
import type { Value } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { sameJson } from '../../util/json.ts';
import { Secret } from '../../util/secret.ts';
import { type Data, dataOf, isDataList, isDataMap, literal } from '../../yaml/data.ts';

export function entryPlaces(node: DesiredNode, name: string): ReadonlyMap<string, SourceRange> {
  const own = Object.entries(node.fieldAt).filter(([one]) => one.startsWith(`${name}.`));
  return new Map(own.map(([one, at]) => [one.slice(name.length + 1), at]));
}

/** Keeps the spelling and order of unchanged items of a set. Undefined if interpolation would be lost. */
export function withKeptItems(
  field: Field,
  declared: Value | undefined,
  value: Data,
  written: Data | undefined,
): Data | undefined {
  const isSet = field.type === 'set' && isDataList(written) && isDataList(value) && Array.isArray(declared);
  if (!isSet || written.length !== declared.length)
    return written !== undefined && holdsTemplate(written) ? undefined : literal(value);
  const normal = declared.map((item) => plainValue(item as Value));
  const live = value.map(plain);
  const kept = written.filter((_item, index) => live.some((one) => sameJson(one, normal[index])));
  if (written.some((item) => !kept.includes(item) && holdsTemplate(item))) return undefined;
  const added = value.filter((item) => !normal.some((one) => sameJson(one, plain(item))));
  return [...kept, ...added.map(literal)];
}

export function hasTemplate(text: string): boolean {
  return text.replaceAll('$${', '').includes('${');
}

export function holdsTemplate(data: Data): boolean {
  if (typeof data === 'string') return hasTemplate(data);
  if (isDataMap(data)) return [...data.values()].some(holdsTemplate);
  return isDataList(data) && data.some(holdsTemplate);
}

export function plain(data: Data): unknown {
  if (isDataMap(data)) return Object.fromEntries([...data].map(([key, value]) => [key, plain(value)]));
  return isDataList(data) ? data.map(plain) : data;
}

export function plainValue(value: Value): unknown {
  return value instanceof Secret ? value : plain(dataOf(value));
}

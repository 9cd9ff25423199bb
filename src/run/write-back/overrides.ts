/** Overrides of what a template made: beside its `use`, or in the record. The template itself serves others as well. */
import type { Kind } from '../../kinds/kind.ts';
import { addKey } from '../../manifest/files/paths.ts';
import { isAdditive } from '../../tree/additive.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { placeAlone } from '../../util/places.ts';
import { type Data, isDataMap, literal } from '../../yaml/data.ts';
import { type Drafts, isNotPossible, isRecordKey, type ManifestPlace, type NotPossible } from './drafts.ts';

export interface Override {
  /** The object with the `use`, or the record. */
  readonly place: ManifestPlace;
  /** From there to the object. */
  readonly keys: readonly string[];
}

/** `at`: of a part of the object that the template made, or of the value of an input. */
export function overrideOf(
  drafts: Drafts<object>,
  tree: DesiredTree,
  { node, at }: { readonly node: DesiredNode; readonly at: SourceRange },
): Override | NotPossible {
  const found = drafts.placeOf(placeAlone(at.usedAt ?? at));
  if (isNotPossible(found)) return found;
  const { path } = found;
  const isInput = at.usedAt === undefined && path.at(-2) === 'with';
  const inRecord = isRecordKey(path) || (at.usedAt === undefined && typeof path.at(-2) === 'number');
  const isUse = at.usedAt !== undefined || inRecord;
  return {
    place: { ...found, path: path.slice(0, isInput ? -2 : isUse ? -1 : undefined) },
    keys: [...(inRecord ? ['override'] : []), ...keysFromUse(tree, node)],
  };
}

/** The object with the `use` is the innermost one that has a place of its own. */
function keysFromUse(
  tree: DesiredTree,
  { at, parent, collection, key, address }: DesiredNode,
): readonly string[] {
  const holder = parent === undefined ? undefined : tree.get(parent);
  if (at.usedAt === undefined || holder === undefined) return [];
  const isSingle = address.endsWith(`/${collection}`) && key === collection;
  return [...keysFromUse(tree, holder), collection, ...(isSingle ? [] : [key])];
}

/** From the object to a field; from a document, for the organization. */
export function fieldKeys(node: DesiredNode, name: string, { manifest }: Kind): readonly string[] {
  if (manifest.whole === name) return [];
  const above = node.address === rootAddress ? [rootAddress] : [];
  return [...above, ...name.split('.'), ...(isAdditive(node, name) ? [addKey] : [])];
}

export function isTemplateMade({ at }: DesiredNode): boolean {
  return at.usedAt !== undefined || at.template !== undefined;
}

export interface OverrideValue {
  readonly keys: readonly string[];
  readonly value: Data;
}

/** An input that takes values of another type. */
export function isOfOtherType(drafts: Drafts<object>, at: SourceRange, live: Data | undefined): boolean {
  const place = at.template === undefined ? undefined : drafts.placeOf(at);
  const written = place === undefined || isNotPossible(place) ? undefined : drafts.writtenAt(place);
  return written !== undefined && (live === undefined || typeOf(live) !== typeOf(written));
}

function typeOf(data: Data): string {
  return isDataMap(data) ? 'mapping' : Array.isArray(data) ? 'list' : data === null ? 'null' : typeof data;
}

/** A value of its own; undefined, where a bare null removes what the template has. */
export function asOverride(data: Data | undefined): Data {
  if (data === undefined) return null;
  if (data === null) return '${clear}';
  return isDataMap(data) ? new Map([...data].map(([key, value]) => [key, asOverride(value)])) : literal(data);
}

export function withOverride(value: Data, keys: readonly string[], data: Data): Data | NotPossible {
  const [key, ...rest] = keys;
  if (key === undefined) return data;
  if (!isDataMap(value)) return { reason: 'what is beside use is not a mapping' };
  const inner = withOverride(value.get(key) ?? (rest.length === 0 ? null : new Map()), rest, data);
  const isRefused = typeof inner === 'object' && inner !== null && 'reason' in inner;
  return isRefused ? inner : new Map([...value, [key, inner]]);
}

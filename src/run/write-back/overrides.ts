/** Overrides of what a template made: beside its `use`, or in the record. The template itself serves others as well. */
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { placeAlone } from '../../util/places.ts';
import { type Data, isDataMap } from '../../yaml/data.ts';
import { type Drafts, isNotPossible, isRecordKey, type ManifestPlace, type NotPossible } from './drafts.ts';

export interface Override {
  /** The object with the `use`, or the record. */
  readonly place: ManifestPlace;
  /** From there to the object. */
  readonly keys: readonly string[];
}

/** `usedAt`: of a part of the object that the template made. */
export function overrideOf(
  drafts: Drafts<object>,
  tree: DesiredTree,
  { node, usedAt }: { readonly node: DesiredNode; readonly usedAt: SourceRange },
): Override | NotPossible {
  const found = drafts.placeOf(placeAlone(usedAt));
  if (isNotPossible(found)) return found;
  const inRecord = isRecordKey(found.path) ? ['override'] : [];
  return {
    place: { ...found, path: found.path.slice(0, -1) },
    keys: [...inRecord, ...keysFromUse(tree, node)],
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

/** Null removes what the template has. */
export function withOverride(value: Data, keys: readonly string[], data: Data): Data | NotPossible {
  const [key, ...rest] = keys;
  if (key === undefined) return data;
  if (!isDataMap(value)) return { reason: 'what is beside use is not a mapping' };
  const inner = withOverride(value.get(key) ?? (rest.length === 0 ? null : new Map()), rest, data);
  const isRefused = typeof inner === 'object' && inner !== null && 'reason' in inner;
  return isRefused ? inner : new Map([...value, [key, inner]]);
}

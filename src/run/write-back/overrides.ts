/** Overrides of values from a template: next to its `use`, or in the record. The template itself is shared. */
import type { Kind } from '../../kinds/kind.ts';
import { addKey } from '../../manifest/files/paths.ts';
import { isAdditive } from '../../tree/additive.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { placeAlone } from '../../util/places.ts';
import { type Data, isDataMap, literal } from '../../yaml/data.ts';
import type { AcceptedChange } from './accepted-tree.ts';
import {
  isNotPossible,
  isRecordKey,
  type ManifestPlace,
  type NotPossible,
  type WantedManifests,
} from './wanted.ts';

/** Place in the object with the `use`, or in the record. `at`: of a value from the template or an input. */
export function overrideOf(
  wanted: WantedManifests<AcceptedChange>,
  tree: DesiredTree,
  { node, at }: { readonly node: DesiredNode; readonly at: SourceRange },
): ManifestPlace | NotPossible {
  const found = wanted.placeOf(placeAlone(at.usedAt ?? at));
  if (isNotPossible(found)) return found;
  const { path } = found;
  const isInput = at.usedAt === undefined && path.at(-2) === 'with';
  const inRecord = isRecordKey(path) || (at.usedAt === undefined && typeof path.at(-2) === 'number');
  const isUse = at.usedAt !== undefined || inRecord;
  const own = path.slice(0, isInput ? -2 : isUse ? -1 : undefined);
  const keys = [...(inRecord ? ['override'] : []), ...keysFromUse(tree, node)];
  return { ...found, path: [...own, ...keys], made: own.length };
}

/** The innermost object with its own place contains the `use`. */
function keysFromUse(
  tree: DesiredTree,
  { at, parent, collection, key, address }: DesiredNode,
): readonly string[] {
  const holder = parent === undefined ? undefined : tree.get(parent);
  if (at.usedAt === undefined || holder === undefined) return [];
  const isSingle = address.endsWith(`/${collection}`) && key === collection;
  return [...keysFromUse(tree, holder), collection, ...(isSingle ? [] : [key])];
}

/** Keys from the object to a field; for the organization, from the document. */
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

/** True if the input has values of another type. */
export function isOfOtherType(
  wanted: WantedManifests<AcceptedChange>,
  at: SourceRange,
  live: Data | undefined,
): boolean {
  const place = at.template === undefined ? undefined : wanted.placeOf(at);
  const written = place === undefined || isNotPossible(place) ? undefined : wanted.writtenAt(place);
  return written !== undefined && (live === undefined || typeOf(live) !== typeOf(written));
}

function typeOf(data: Data): string {
  return isDataMap(data) ? 'mapping' : Array.isArray(data) ? 'list' : data === null ? 'null' : typeof data;
}

/** Undefined becomes null, which removes the template's value; null becomes an explicit value. */
export function asOverride(data: Data | undefined): Data {
  if (data === undefined) return null;
  if (data === null) return '${clear}';
  return isDataMap(data) ? new Map([...data].map(([key, value]) => [key, asOverride(value)])) : literal(data);
}

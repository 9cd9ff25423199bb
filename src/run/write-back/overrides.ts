/** Overrides of values from a template: next to its `use`, or in the record. The template itself is shared. */
import type { Kind } from '../../kinds/kind.ts';
import { mapOf, type Value } from '../../kinds/parts/payload.ts';
import { addKey } from '../../manifest/files/paths.ts';
import { isAdditive } from '../../tree/additive.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { placeAlone } from '../../util/places.ts';
import { type Data, isDataMap, literal } from '../../yaml/data.ts';
import { isRecordKey, type ManifestPlace, type WantedManifests } from './wanted.ts';

/**
 * Place in the object with the `use`, or in the record. `at`: of a value from the template or an input.
 * @throws NotPossible
 */
export function overrideOf(
  wanted: WantedManifests,
  tree: DesiredTree,
  { node, at }: { readonly node: DesiredNode; readonly at: SourceRange },
): ManifestPlace {
  const found = wanted.placeOf(placeAlone(at.usedAt ?? at));
  const { path } = found;
  const isInput = at.usedAt === undefined && path.at(-2) === 'with';
  const inRecord = isRecordKey(path) || (at.usedAt === undefined && typeof path.at(-2) === 'number');
  const isUse = at.usedAt !== undefined || inRecord;
  const own = path.slice(0, isInput ? -2 : isUse ? -1 : undefined);
  const keys = [...(inRecord ? ['override'] : []), ...keysFromUse(tree, node)];
  return { ...found, path: [...own, ...keys], made: own.length };
}

/** The innermost object with its own place contains the `use`. */
function keysFromUse(tree: DesiredTree, node: DesiredNode): readonly string[] {
  const { at, collection, key, address } = node;
  const holder = tree.parentOf(node);
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

/** True if the input has values of another type. */
export function isOfOtherType(wanted: WantedManifests, at: SourceRange, live: Data | undefined): boolean {
  const written = at.template === undefined ? undefined : wanted.writtenAt(wanted.placeOf(at));
  return written !== undefined && (live === undefined || typeOf(live) !== typeOf(written));
}

function typeOf(data: Data): string {
  return isDataMap(data) ? 'mapping' : Array.isArray(data) ? 'list' : data === null ? 'null' : typeof data;
}

/**
 * Undefined becomes null, which removes the template's value; null becomes an explicit value. `declared`: entries that are removed unless
 * the data has them.
 */
export function asOverride(data: Data | undefined, declared?: Value): Data {
  if (data === undefined) return null;
  if (data === null) return '${clear}';
  if (!isDataMap(data)) return literal(data);
  const removed = Object.keys(mapOf(declared) ?? {}).filter((key) => !data.has(key));
  const own = [...data].map(([key, value]) => [key, asOverride(value)] as const);
  return new Map([...own, ...removed.map((key) => [key, null] as const)]);
}

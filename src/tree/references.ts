/** What the references in manifests mean: plain keys, addresses or ids, looked up in the desired tree. */

import type { Field, Reference } from '../kinds/kind.ts';
import type { Value } from '../kinds/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { push } from '../util/group.ts';
import { isRecord } from '../util/json.ts';
import { Secret } from '../util/secret.ts';
import type { DesiredNode, DesiredTree } from './desired.ts';

/** What a reference names. */
export type Target =
  | { readonly type: 'node'; readonly address: string }
  | { readonly type: 'id'; readonly id: string }
  /** No manifest declares the key, and none has to. */
  | { readonly type: 'undeclared'; readonly key: string }
  /** A secret stands where an object is to be named: a mistake that no text may show. */
  | { readonly type: 'secret' }
  | { readonly type: 'ambiguous'; readonly key: string; readonly addresses: readonly string[] }
  | { readonly type: 'unknown'; readonly key: string; readonly candidates: readonly string[] };

/** One reference of a desired object. */
export interface FoundReference {
  readonly node: DesiredNode;
  readonly field: string;
  readonly reference: Reference;
  readonly target: Target;
}

/** True for fields whose keys are objects, just these: an entry that goes is something taken away, as people from a team. */
export function namesMembers(field: Field | undefined): boolean {
  return field?.reference?.of === 'keys' && (field.compare ?? 'exact') === 'exact';
}

/** Says what a value of a reference field (or one key of it) names. */
export function resolveReference(
  tree: DesiredTree,
  node: DesiredNode,
  reference: Reference,
  value: Value,
): Target {
  if (isRecord(value) && !(value instanceof Secret) && typeof value.id === 'string') {
    return { type: 'id', id: value.id };
  }
  // A secret names nothing: what it named would be shown.
  if (holdsSecret(value)) return { type: 'secret' };
  const key = String(value);
  const byAddress = tree.nodes.get(key);
  if (
    byAddress !== undefined &&
    reference.kinds.includes(byAddress.kind) &&
    isWithin(node, byAddress, reference)
  ) {
    return { type: 'node', address: byAddress.address };
  }
  const { byKindAndKey } = indexOf(tree);
  const found = nearestOf(
    node,
    reference.kinds
      .flatMap((kind) => byKindAndKey.get(`${kind} ${key}`) ?? [])
      .filter((candidate) => isWithin(node, candidate, reference)),
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) return { type: 'node', address: only.address };
  if (found.length > 1) return { type: 'ambiguous', key, addresses: found.map(({ address }) => address) };
  if (reference.undeclared !== 'refused') return { type: 'undeclared', key };
  return { type: 'unknown', key, candidates: candidatesOf(tree, node, reference) };
}

function holdsSecret(value: Value): boolean {
  return value instanceof Secret || (isRecord(value) && value.id instanceof Secret);
}

/** The keys that could have been meant. */
function candidatesOf(tree: DesiredTree, node: DesiredNode, reference: Reference): readonly string[] {
  const { byKind, keysOfKinds } = indexOf(tree);
  const ofKinds = () => reference.kinds.flatMap((kind) => byKind.get(kind) ?? []);
  if (reference.within === 'descendants') {
    return ofKinds()
      .filter((candidate) => isWithin(node, candidate, reference))
      .map(({ key }) => key);
  }
  const name = reference.kinds.join(' ');
  const keys = keysOfKinds.get(name) ?? ofKinds().map(({ key }) => key);
  keysOfKinds.set(name, keys);
  return keys;
}

/** All references of a desired object, in the order of its fields. */
export function referencesOf(
  tree: DesiredTree,
  node: DesiredNode,
  registry: Registry,
): readonly FoundReference[] {
  const { fields } = registry.byName(node.kind);
  return Object.entries(node.fields).flatMap(([field, value]) =>
    valuesOf(fields[field], value).map(({ reference, item }) => ({
      node,
      field,
      reference,
      target: resolveReference(tree, node, reference, item),
    })),
  );
}

function valuesOf(
  field: Field | undefined,
  value: Value,
): readonly { readonly reference: Reference; readonly item: Value }[] {
  const reference = field?.reference;
  if (reference === undefined || value === null) return [];
  if (reference.of === 'value') return [{ reference, item: value }];
  return isRecord(value) ? Object.keys(value).map((item) => ({ reference, item })) : [];
}

/** Among objects of several depths below the node, the nearest ones: a site's default is rather its own child. */
function nearestOf(node: DesiredNode, found: readonly DesiredNode[]): readonly DesiredNode[] {
  if (found.length < 2) return found;
  const children = found.filter(({ parent }) => parent === node.address);
  return children.length > 0 ? children : found;
}

function isWithin(node: DesiredNode, candidate: DesiredNode, reference: Reference): boolean {
  return reference.within === 'organization' || candidate.address.startsWith(`${node.address}/`);
}

interface TreeIndex {
  readonly byKind: ReadonlyMap<string, readonly DesiredNode[]>;
  readonly byKindAndKey: ReadonlyMap<string, readonly DesiredNode[]>;
  /** The keys of all objects of some kinds, by the names of the kinds; filled as they are asked for. */
  readonly keysOfKinds: Map<string, readonly string[]>;
}

const indexes = new WeakMap<DesiredTree, TreeIndex>();

function indexOf(tree: DesiredTree): TreeIndex {
  const known = indexes.get(tree);
  if (known !== undefined) return known;
  const byKind = new Map<string, DesiredNode[]>();
  const byKindAndKey = new Map<string, DesiredNode[]>();
  for (const node of tree.nodes.values()) {
    push(byKind, node.kind, node);
    push(byKindAndKey, `${node.kind} ${node.key}`, node);
  }
  const index = { byKind, byKindAndKey, keysOfKinds: new Map<string, readonly string[]>() };
  indexes.set(tree, index);
  return index;
}

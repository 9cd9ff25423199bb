/** Resolves references in manifests: plain keys, addresses or ids, looked up in the desired tree. */

import type { Kind } from '../kinds/kind.ts';
import { type Field, type Reference, referenceOf } from '../kinds/parts/field.ts';
import { mapOf, type Value } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { remembered, rememberedByText } from '../util/remembered.ts';
import { holdsSecret } from '../util/secret.ts';
import type { DesiredNode } from './desired.ts';
import type { DesiredTree } from './desired-tree.ts';

export type Target =
  | { readonly type: 'node'; readonly address: string }
  | { readonly type: 'id'; readonly id: string }
  | { readonly type: 'title'; readonly title: string }
  | { readonly type: 'undeclared'; readonly key: string }
  /** A secret instead of a name: an error that must not show the text. */
  | { readonly type: 'secret' }
  | { readonly type: 'ambiguous'; readonly key: string; readonly addresses: readonly string[] }
  | { readonly type: 'unknown'; readonly key: string; readonly candidates: readonly string[] };

export interface FoundReference {
  readonly node: DesiredNode;
  readonly field: string;
  readonly reference: Reference;
  /** The value as written. */
  readonly value: Value;
  readonly target: Target;
}

function resolveReference(tree: DesiredTree, node: DesiredNode, reference: Reference, value: Value): Target {
  const { id, title } = mapOf(value) ?? {};
  if (typeof id === 'string') return { type: 'id', id };
  if (typeof title === 'string') return { type: 'title', title };
  // A secret must not resolve, because its target would be shown.
  if (holdsSecret(value)) return { type: 'secret' };
  const key = String(value);
  const byAddress = tree.get(key);
  if (
    byAddress !== undefined &&
    reference.kinds.includes(byAddress.kind) &&
    isWithin(node, byAddress, reference)
  )
    return { type: 'node', address: key };
  const named =
    reference.within === 'organization'
      ? reference.kinds.flatMap((kind) => tree.keyed(kind, key))
      : insideOf(tree, node, reference).filter((one) => one.key === key);
  const candidates = named.filter((one) => isWithin(node, one, reference));
  const found = nearestOf(homeOf(node, reference), candidates);
  const [only] = found;
  if (only !== undefined && found.length === 1) return { type: 'node', address: only.address };
  if (found.length > 1) return { type: 'ambiguous', key, addresses: found.map(({ address }) => address) };
  if (reference.undeclared !== 'refused') return { type: 'undeclared', key };
  return { type: 'unknown', key, candidates: candidatesOf(tree, node, reference) };
}

export function resolveField(
  tree: DesiredTree,
  node: DesiredNode,
  { field, value }: { readonly field: Field | undefined; readonly value: Value | undefined },
): Target | undefined {
  const reference = field?.type === 'reference' ? referenceOf(field) : undefined;
  if (reference === undefined || value === undefined || value === null || isLiteral(field, value))
    return undefined;
  return resolveReference(tree, node, reference, value);
}

function isLiteral(field: Field | undefined, value: Value): boolean {
  return field?.type === 'reference' && typeof value === 'string' && field.literal?.(value) === true;
}

/** The object inside which keys are looked up, if that is not the organization. */
export function homeOf({ address, parent }: DesiredNode, { within }: Reference): string {
  return within === 'parent' ? (parent ?? address) : address;
}

/** Every site may have a section with the same key, so only objects inside count. */
function insideOf(tree: DesiredTree, node: DesiredNode, reference: Reference): readonly DesiredNode[] {
  const inside = tree.inside(homeOf(node, reference));
  return reference.kinds.flatMap((kind) => inside.filter((one) => one.kind === kind));
}

/** Cached: thousands of references may be unresolved. */
const keysOfKinds = remembered((tree: DesiredTree) =>
  rememberedByText((kinds) => kinds.split(' ').flatMap((kind) => [...tree.keysOf(kind)])),
);

function candidatesOf(tree: DesiredTree, node: DesiredNode, reference: Reference): readonly string[] {
  if (reference.within === 'organization') return keysOfKinds(tree)(reference.kinds.join(' '));
  return insideOf(tree, node, reference).map(({ key }) => key);
}

/** True if a reference names its object by title, which is looked up first. */
export function hasTitles(tree: DesiredTree, registry: Registry): boolean {
  return [...tree.nodes.values()].some(({ kind, fields }) =>
    Object.entries(registry.byName(kind).fields).some(
      ([name, field]) => field.type === 'reference' && typeof mapOf(fields[name])?.title === 'string',
    ),
  );
}

export function referencesOf(
  tree: DesiredTree,
  node: DesiredNode,
  registry: Registry,
): readonly FoundReference[] {
  const { fields } = registry.byName(node.kind);
  return Object.entries(node.fields).flatMap(([field, value]) => {
    const reference = referenceOf(fields[field]);
    if (reference === undefined || value === null || isLiteral(fields[field], value)) return [];
    const isOne = fields[field]?.type === 'reference';
    const items: readonly Value[] = isOne ? [value] : Object.keys(mapOf(value) ?? {});
    return items.map((item) => ({
      node,
      field,
      reference,
      value: item,
      target: resolveReference(tree, node, reference, item),
    }));
  });
}

export function referencesByKey(
  node: DesiredNode,
  registry: Registry,
): readonly { readonly field: string; readonly reference: Reference; readonly keys: readonly string[] }[] {
  return keyedFields(registry.byName(node.kind)).flatMap(([field, reference]) => {
    const value = mapOf(node.fields[field]);
    return value === undefined ? [] : [{ field, reference, keys: Object.keys(value) }];
  });
}

/** Fields whose keys name objects. */
const keyedFields = remembered(({ fields }: Kind) =>
  Object.entries(fields).flatMap(([name, field]): (readonly [string, Reference])[] => {
    const reference = field.type === 'reference' ? undefined : referenceOf(field);
    return reference === undefined ? [] : [[name, reference]];
  }),
);

/** Prefers direct children: a site's default is its own child. */
function nearestOf(home: string, found: readonly DesiredNode[]): readonly DesiredNode[] {
  if (found.length < 2) return found;
  const children = found.filter(({ parent }) => parent === home);
  return children.length > 0 ? children : found;
}

function isWithin(node: DesiredNode, candidate: DesiredNode, reference: Reference): boolean {
  return reference.within === 'organization' || candidate.address.startsWith(`${homeOf(node, reference)}/`);
}

/** Which reads the manifests call for: the kinds to list inside an object, and the objects that others name by key. */

import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { declaredCollections } from '../tree/declared-collections.ts';
import type { DesiredNode, DesiredTree } from '../tree/desired.ts';
import { isRecord } from '../util/json.ts';
import { Secret } from '../util/secret.ts';

/** Kinds whose lists inside an object are needed, and kinds of which there is one inside it. */
export interface Needed {
  readonly lists: readonly Kind[];
  readonly singles: readonly Kind[];
}

/**
 * The kinds that the desired objects, or what stands in them, declare, as far as they are listed per object of this
 * kind. What stands in another object of the same kind is listed there.
 */
export function kindsToList(
  tree: DesiredTree,
  registry: Registry,
  desiredNodes: readonly DesiredNode[],
): Needed {
  const lists = new Set<Kind>();
  const singles = new Set<Kind>();
  const [first] = desiredNodes;
  if (first === undefined) return { lists: [], singles: [] };
  const consider = (node: DesiredNode) => {
    for (const key of declaredCollections(registry, node)) {
      for (const { kind, place } of registry.at(node.kind, key)) {
        if (place.shape === 'single') {
          if (node.kind === first.kind) singles.add(kind);
        } else if (kind.reads.list?.per === first.kind) lists.add(kind);
      }
    }
  };
  const walk = (node: DesiredNode) => {
    consider(node);
    for (const child of childrenOf(tree, node.address)) if (child.kind !== first.kind) walk(child);
  };
  for (const desired of desiredNodes) walk(desired);
  return { lists: [...lists], singles: [...singles] };
}

const childIndex = new WeakMap<DesiredTree, ReadonlyMap<string, readonly DesiredNode[]>>();

/** The desired objects directly inside an address, in order. */
function childrenOf(tree: DesiredTree, address: string): readonly DesiredNode[] {
  let index = childIndex.get(tree);
  if (index === undefined) {
    const built = new Map<string, DesiredNode[]>();
    for (const node of tree.nodes.values()) {
      if (node.parent === undefined) continue;
      const list = built.get(node.parent) ?? [];
      list.push(node);
      built.set(node.parent, list);
    }
    index = built;
    childIndex.set(tree, built);
  }
  return index.get(address) ?? [];
}

/** Keys by which desired objects name existing objects of other kinds that must be looked up, by kind. */
export function desiredKeys(tree: DesiredTree, registry: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map<string, Set<string>>();
  for (const node of tree.nodes.values()) {
    for (const [name, field] of Object.entries(registry.byName(node.kind).fields)) {
      const { reference } = field;
      const value = node.fields[name];
      if (reference?.undeclared !== 'lookup' || value === undefined || value === null) continue;
      const keys =
        reference.of === 'keys' && isRecord(value) && !(value instanceof Secret) ? Object.keys(value) : [];
      for (const kind of reference.kinds) {
        const set = named.get(kind) ?? new Set();
        for (const key of keys) set.add(key);
        named.set(kind, set);
      }
    }
  }
  return named;
}

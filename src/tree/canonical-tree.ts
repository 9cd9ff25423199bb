/** A desired tree in a fixed order, so that plans do not depend on how manifests are split into files. */

import type { Registry } from '../kinds/registry.ts';
import { grouped } from '../util/group.ts';
import { compareTexts } from '../util/lists.ts';
import { type DesiredNode, rootAddress } from './desired.ts';
import type { DesiredTree } from './desired-tree.ts';

/** Nodes by kind and key, ordered siblings as written, parents before children. */
export function canonicalTree(tree: DesiredTree, registry: Registry): DesiredTree {
  const nodes = new Map<string, DesiredNode>();
  const visit = (node: DesiredNode): void => {
    nodes.set(node.address, node);
    const children = grouped(tree.childrenOf(node.address), ({ collection }) => collection);
    if (children.size === 0) return;
    for (const collection of registry.collectionsOf(node.kind)) {
      const siblings = children.get(collection);
      if (siblings === undefined) continue;
      const ordered = registry.at(node.kind, collection).some(({ place }) => place.ordered);
      for (const child of siblings.toSorted((left, right) =>
        ordered ? left.index - right.index : compareTexts(left.key, right.key),
      ))
        visit(child);
    }
  };
  const root = tree.nodes.get(rootAddress);
  if (root !== undefined) visit(root);
  return tree.with({ nodes });
}

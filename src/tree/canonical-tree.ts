/** A desired tree in one fixed order, so that plans do not depend on how manifests are spread over files. */

import type { Registry } from '../kinds/registry.ts';
import { compareTexts } from '../util/lists.ts';
import { type DesiredNode, rootAddress } from './desired.ts';
import type { DesiredTree } from './desired-tree.ts';

/** Nodes by kind and key, ordered siblings as written, parents before children. */
export function canonicalTree(tree: DesiredTree, registry: Registry): DesiredTree {
  const children = new Map<string, DesiredNode[]>();
  for (const node of tree.nodes.values()) {
    const slot = `${node.parent ?? ''} ${node.collection}`;
    const siblings = children.get(slot);
    if (siblings === undefined) children.set(slot, [node]);
    else siblings.push(node);
  }
  const nodes = new Map<string, DesiredNode>();
  const visit = (node: DesiredNode): void => {
    nodes.set(node.address, node);
    for (const collection of registry.collectionsOf(node.kind)) {
      const siblings = children.get(`${node.address} ${collection}`) ?? [];
      const ordered = registry.at(node.kind, collection).some(({ place }) => place.ordered);
      for (const child of [...siblings].sort(ordered ? byIndex : byKey)) visit(child);
    }
  };
  const root = tree.nodes.get(rootAddress);
  if (root !== undefined) visit(root);
  return tree.with({ nodes });
}

function byKey(left: DesiredNode, right: DesiredNode): number {
  return compareTexts(left.key, right.key);
}

function byIndex(left: DesiredNode, right: DesiredNode): number {
  return left.index - right.index;
}

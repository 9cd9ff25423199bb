/** Pins desired objects to live ones whose ids are known, so that a later look cannot take one for another. */
import { type DesiredNode, rootAddress } from './desired.ts';
import type { DesiredTree } from './desired-tree.ts';

/** The tree with the given ids, by address, on all nodes that pin none themselves. */
export function pinTree(tree: DesiredTree, ids: ReadonlyMap<string, string>): DesiredTree {
  const nodes = new Map<string, DesiredNode>();
  for (const [address, node] of tree.nodes) {
    const id = node.id ?? ids.get(address);
    nodes.set(address, id === undefined || address === rootAddress ? node : { ...node, id });
  }
  return tree.with({ nodes });
}

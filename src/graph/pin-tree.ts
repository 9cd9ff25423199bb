/** Pins wanted objects to live ones whose ids are known, so that a later look cannot take one for another. */
import { rootAddress, type WantNode, type WantTree } from './want.ts';

/** The tree with the given ids, by address, on all nodes that pin none themselves. */
export function pinTree(tree: WantTree, ids: ReadonlyMap<string, string>): WantTree {
  const nodes = new Map<string, WantNode>();
  for (const [address, node] of tree.nodes) {
    const id = node.id ?? ids.get(address);
    nodes.set(address, id === undefined || address === rootAddress ? node : { ...node, id });
  }
  return { ...tree, nodes };
}

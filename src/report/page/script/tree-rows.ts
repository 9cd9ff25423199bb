/** The changes as rows of a tree: each address once, chains without a branch in one row. */
import { byAddress } from '../../text/natural-order.ts';
import type { Item } from './model.ts';

export interface TreeNode {
  readonly path: string;
  readonly label: string;
  readonly level: number;
  /** An object may have two: changes of the manifests and drift, or a deleted object and the one that takes its address. */
  readonly items: readonly Item[];
  readonly children: readonly TreeNode[];
  /** Changes of the object and of all objects below it. */
  readonly count: number;
  readonly place: number;
  readonly siblings: number;
}

interface TreeBranch {
  readonly items: Item[];
  readonly children: Map<string, TreeBranch>;
}

export function treeOf(items: readonly Item[]): readonly TreeNode[] {
  const root: TreeBranch = { items: [], children: new Map() };
  for (const item of items) {
    let branch = root;
    for (const segment of item.segments) {
      let next = branch.children.get(segment);
      if (next === undefined) {
        next = { items: [], children: new Map() };
        branch.children.set(segment, next);
      }
      branch = next;
    }
    branch.items.push(item);
  }
  return nodesOf(root, '', 1);
}

function nodesOf(branch: TreeBranch, above: string, level: number): readonly TreeNode[] {
  const entries = [...branch.children].sort(([left], [right]) => byAddress(left, right));
  return entries.map(([segment, child], at): TreeNode => {
    const { label, inner } = withoutChain(segment, child);
    const path = above === '' ? label : `${above}/${label}`;
    const children = nodesOf(inner, path, level + 1);
    const count = inner.items.length + children.reduce((sum, one) => sum + one.count, 0);
    return {
      path,
      label,
      level,
      items: inner.items,
      children,
      count,
      place: at + 1,
      siblings: entries.length,
    };
  });
}

/** A label for a single entry would be a useless row. */
function withoutChain(
  segment: string,
  branch: TreeBranch,
): { readonly label: string; readonly inner: TreeBranch } {
  let label = segment;
  let inner = branch;
  while (inner.items.length === 0 && inner.children.size === 1) {
    const [only] = inner.children;
    if (only === undefined) break;
    label = `${label}/${only[0]}`;
    inner = only[1];
  }
  return { label, inner };
}

export function visibleRows(
  nodes: readonly TreeNode[],
  isOpen: (node: TreeNode) => boolean,
): readonly TreeNode[] {
  const rows: TreeNode[] = [];
  const add = (node: TreeNode) => {
    rows.push(node);
    if (isOpen(node)) node.children.forEach(add);
  };
  nodes.forEach(add);
  return rows;
}

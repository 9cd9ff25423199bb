import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { FoundReference } from '../../tree/references.ts';
import { defined } from '../../util/defined.ts';
import { grouped } from '../../util/group.ts';
import { byAddress } from '../text/natural-order.ts';
import type { Graph, GraphEdge } from './graph.ts';

export interface DrawnTree {
  readonly tree: DesiredTree;
  readonly references: readonly FoundReference[];
  /** All if absent. */
  readonly chosen?: ReadonlySet<string> | undefined;
  readonly nounOf: (node: DesiredNode) => string;
}

export function workspaceGraph(drawn: readonly DrawnTree[], notes: readonly string[]): Graph {
  return {
    type: 'workspace',
    organizations: drawn.map(({ tree }) => tree.label),
    nodes: drawn.flatMap((one) =>
      nodesIn(one).map((node) => {
        const title = node.fields.title ?? node.fields.name;
        return {
          id: idOf(one.tree, node.address),
          organization: one.tree.label,
          address: node.address,
          noun: one.nounOf(node),
          ...defined({ title: typeof title === 'string' ? title : undefined }),
          fields: [],
          operations: [],
          marks: [],
          isKept: false,
          count: 1,
        };
      }),
    ),
    edges: drawn.flatMap((one) => [...parentEdges(one), ...referenceEdges(one)]),
    notes,
  };
}

function nodesIn({ tree, chosen }: DrawnTree): readonly DesiredNode[] {
  return [...tree.nodes.values()]
    .filter(({ address }) => chosen?.has(address) !== false)
    .sort((left, right) => byAddress(left.address, right.address));
}

function parentEdges(drawn: DrawnTree): readonly GraphEdge[] {
  const { tree, chosen } = drawn;
  return nodesIn(drawn).flatMap(({ address, parent }) =>
    parent === undefined || chosen?.has(parent) === false
      ? []
      : [{ from: idOf(tree, parent), to: idOf(tree, address), type: 'parent' as const }],
  );
}

function referenceEdges({ tree, chosen, references }: DrawnTree): readonly GraphEdge[] {
  const pairs = references.flatMap(({ node, field, target }) =>
    target.type === 'node' && chosen?.has(node.address) !== false && chosen?.has(target.address) !== false
      ? [{ from: node.address, to: target.address, field }]
      : [],
  );
  return [...grouped(pairs, ({ from, to }) => `${from} ${to}`).values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          {
            from: idOf(tree, first.from),
            to: idOf(tree, first.to),
            type: 'reference' as const,
            label: [...new Set([first, ...others].map(({ field }) => field))].join(', '),
          },
        ],
  );
}

function idOf({ label }: DesiredTree, address: string): string {
  return `${label} ${address}`;
}

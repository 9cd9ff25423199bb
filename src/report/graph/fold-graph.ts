/** Folds a large graph: similar nodes of one collection become one. Deletes are never folded. Pure. */
import { countOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { greatest } from '../../util/lists.ts';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';

export interface GraphLimits {
  readonly nodes: number;
  readonly edges: number;
}

/** Unchanged within the limits; otherwise folded from the innermost collections on, until it fits or nothing is left to fold. */
export function foldGraph(graph: Graph, limits: GraphLimits): Graph {
  if (fits(graph, limits)) return graph;
  const deepest = greatest(graph.nodes.map(({ address }) => keysIn(address)));
  let folded = graph;
  for (let keys = deepest - 1; keys >= 0 && !fits(folded, limits); keys -= 1) folded = foldTo(graph, keys);
  const hidden = graph.nodes.length - folded.nodes.length;
  if (hidden === 0) return graph;
  const note = `Folded: ${countOf(hidden, graph.type === 'plan' ? 'step' : 'object')} drawn with others of the same collection. Pass --target to draw a part, or --show all to draw all.`;
  return { ...folded, notes: [...graph.notes, note] };
}

export function fits({ nodes, edges }: Graph, limits: GraphLimits): boolean {
  return nodes.length <= limits.nodes && edges.length <= limits.edges;
}

/** `sites/hub/sections/api` has two keys. */
function keysIn(address: string): number {
  return Math.floor(address.split('/').length / 2);
}

/** Keeps the first keys of addresses; nodes that differ only in others become one. */
function foldTo(graph: Graph, keys: number): Graph {
  const groups = grouped(graph.nodes, (node) => groupOf(node, keys));
  const names = new Map<string, string>();
  const nodes = [...groups].flatMap(([id, members]) => {
    const [first, ...others] = members;
    if (first === undefined) return [];
    const node = others.length === 0 ? first : foldedNode(id, [first, ...others], keys);
    for (const member of members) names.set(member.id, node.id);
    return [node];
  });
  return { ...graph, nodes, edges: foldedEdges(graph.edges, names) };
}

function groupOf(node: GraphNode, keys: number): string {
  if (node.isKept) return node.id;
  const { organization, address, noun, action = '', phase = '', marks } = node;
  return [organization, patternOf(address, keys), noun, action, phase, ...marks].join('\n');
}

/** `sites/hub/sections/*` for one key of `sites/hub/sections/api`. */
function patternOf(address: string, keys: number): string {
  return address
    .split('/')
    .map((part, at) => (at % 2 === 1 && (at - 1) / 2 >= keys ? '*' : part))
    .join('/');
}

function foldedNode(id: string, members: readonly [GraphNode, ...GraphNode[]], keys: number): GraphNode {
  const { title: _title, ...first } = members[0];
  return {
    ...first,
    id,
    address: patternOf(first.address, keys),
    fields: [...new Set(members.flatMap(({ fields }) => fields))],
    operations: members.flatMap(({ operations }) => operations),
    count: members.length,
  };
}

/** Edges within a folded node disappear; equal ones become one. */
function foldedEdges(edges: readonly GraphEdge[], names: ReadonlyMap<string, string>): readonly GraphEdge[] {
  const moved = edges
    .map((edge) => ({ ...edge, from: names.get(edge.from) ?? edge.from, to: names.get(edge.to) ?? edge.to }))
    .filter(({ from, to }) => from !== to);
  const key = ({ from, to, type, label = '' }: GraphEdge) => [from, to, type, label].join('\t');
  return [...grouped(moved, key).values()].flatMap(([first]) => (first === undefined ? [] : [first]));
}

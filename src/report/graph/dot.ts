/** A graph in the language of Graphviz. Never folded, since Graphviz draws any size. Pure. */
import type { View } from '../view.ts';
import {
  actionColors,
  besideEachOther,
  type Graph,
  type GraphEdge,
  type GraphNode,
  graphLegend,
  graphTitle,
  linesOf,
  plainColors,
} from './graph.ts';

export const dotGraph: View<Graph> = (graph) => {
  const names = new Map(graph.nodes.map(({ id }, at) => [id, `n${at + 1}`]));
  const several = graph.organizations.length > 1;
  const body = graph.organizations.flatMap((label, at) => {
    const nodes = graph.nodes
      .filter(({ organization }) => organization === label)
      .map((node) => nodeLine(node, names.get(node.id)));
    return several
      ? [`  subgraph cluster_o${at + 1} {`, `  label=${quoted([label])};`, ...nodes, '  }']
      : nodes;
  });
  const lines = [
    'digraph octavo {',
    '  rankdir=LR;',
    `  label=${quoted([graphTitle(graph), graphLegend(graph), ...graph.notes])};`,
    '  node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11];',
    ...body,
    ...graph.edges.map((edge) => edgeLine(edge, names)),
    ...besideEachOther(graph).map(
      ({ from, to }) => `  ${names.get(from)} -> ${names.get(to)} [style=invis];`,
    ),
    '}',
  ];
  return `${lines.join('\n')}\n`;
};

function nodeLine(node: GraphNode, name = ''): string {
  const { fill, line, ink } = node.action === undefined ? plainColors : actionColors[node.action];
  const colors = `fillcolor="${fill}", color="${line}", fontcolor="${ink}"`;
  return `  ${name} [label=${quoted(linesOf(node))}, ${colors}];`;
}

function edgeLine({ from, to, type, label }: GraphEdge, names: ReadonlyMap<string, string>): string {
  const attributes = [
    ...(type === 'needs' || type === 'parent' ? [] : ['style=dashed']),
    ...(label === undefined ? [] : [`label=${quoted([label])}`]),
  ];
  const list = attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`;
  return `  ${names.get(from)} -> ${names.get(to)}${list};`;
}

/** Left-aligned lines as a string. Entities, which Graphviz also interprets, stay text. */
function quoted(lines: readonly string[]): string {
  const escaped = lines.map((line) =>
    line.replaceAll('&', '&amp;').replaceAll('\\', '\\\\').replaceAll('"', '\\"'),
  );
  return `"${escaped.length > 1 ? escaped.map((line) => `${line}\\l`).join('') : escaped.join('')}"`;
}

/**
 * A graph as a Mermaid flowchart, as GitHub and GitLab draw it in Markdown. Every special character is written as an entity, so
 * that no text is read as syntax, markup or a directive. Pure.
 */
import type { View } from '../view.ts';
import { fits, foldGraph, type GraphLimits } from './fold-graph.ts';
import {
  actionColors,
  besideEachOther,
  type Graph,
  type GraphEdge,
  graphLegend,
  graphTitle,
  linesOf,
} from './graph.ts';

/** Mermaid's own limits by default: `maxEdges` is 500, `maxTextSize` 50,000. */
const limits: GraphLimits = { nodes: 250, edges: 500 };
const mostCharacters = 50_000;

export const mermaidGraph: View<Graph> = (graph, { full = false }) => {
  if (full) return flowchart(graph);
  for (let nodes = limits.nodes; ; nodes = Math.floor(nodes / 2)) {
    const text = flowchart(foldGraph(graph, { ...limits, nodes }));
    if (text.length <= mostCharacters || nodes === 0) return text;
  }
};

function flowchart(graph: Graph): string {
  const names = new Map(graph.nodes.map(({ id }, at) => [id, `n${at + 1}`]));
  const inOrganization = (label: string) =>
    graph.nodes
      .filter(({ organization }) => organization === label)
      .map((node) => nodeLine(node, names.get(node.id)));
  const several = graph.organizations.length > 1;
  const body = graph.organizations.flatMap((label, at) =>
    several
      ? [
          `  subgraph o${at + 1}["${escaped(label)}"]`,
          ...inOrganization(label).map((line) => `  ${line}`),
          '  end',
        ]
      : inOrganization(label),
  );
  const beside = besideEachOther(graph);
  const links = graph.edges.length + beside.length > limits.edges ? [] : beside;
  const used = [...new Set(graph.nodes.flatMap(({ action }) => (action === undefined ? [] : [action])))];
  const text = [
    ...[graphTitle(graph), graphLegend(graph), ...graph.notes].map(comment),
    'flowchart LR',
    ...body,
    ...graph.edges.map((edge) => edgeLine(edge, names)),
    ...links.map(({ from, to }) => `  ${names.get(from)} ~~~ ${names.get(to)}`),
    ...used.map((action) => {
      const { fill, line, ink } = actionColors[action];
      return `  classDef ${action} fill:${fill},stroke:${line},color:${ink}`;
    }),
  ].join('\n');
  return `${tooLarge(graph, text)}${text}\n`;
}

function tooLarge(graph: Graph, { length }: string): string {
  if (fits(graph, { nodes: Number.POSITIVE_INFINITY, edges: limits.edges }) && length <= mostCharacters)
    return '';
  return `${comment(`Mermaid draws 500 edges and 50,000 characters by default: set maxEdges and maxTextSize for these ${graph.edges.length} edges and ${length} characters, or narrow the graph with --target`)}\n`;
}

function nodeLine(node: Graph['nodes'][number], name = ''): string {
  const text = linesOf(node, (sign) => `[${sign}] `)
    .map(escaped)
    .join('<br/>');
  return `  ${name}["${text}"]${node.action === undefined ? '' : `:::${node.action}`}`;
}

function edgeLine({ from, to, type, label }: GraphEdge, names: ReadonlyMap<string, string>): string {
  const arrow = type === 'needs' || type === 'parent' ? '-->' : '-.->';
  const text = label === undefined ? '' : `|"${escaped(label)}"|`;
  return `  ${names.get(from)} ${arrow}${text} ${names.get(to)}`;
}

/** A comment must not begin a directive. */
function comment(text: string): string {
  return `%% ${text.replace(/[{}%]/g, ' ')}`;
}

/** Letters, digits and harmless signs stay; everything else becomes an entity. */
function escaped(text: string): string {
  return text.replace(
    /[^\p{L}\p{N}\p{M} .,:/()[\]+=±↕⟲!?-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}

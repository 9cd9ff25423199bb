/** A graph as a drawing that needs nothing else: no style sheet, no script, no font. Pure. */

import { greatest } from '../../util/lists.ts';
import { displayWidth } from '../safe-text.ts';
import type { View } from '../view.ts';
import { fits, foldGraph, type GraphLimits } from './fold-graph.ts';
import { type Graph, type GraphEdge, type GraphNode, graphLegend, graphTitle, linesOf } from './graph.ts';
import { arrange, type GraphLayout, type GraphPoint, type LayoutBox, stack } from './layout.ts';
import { actionColors, plainColors } from './looks.ts';
import { xmlText } from './xml.ts';

/** What is arranged in about a second. */
const limits: GraphLimits = { nodes: 300, edges: 500 };

/** Pixels. */
const characterWidth = 7.3;
const lineHeight = 16;
const padding = 10;
const margin = 20;

/** An SVG document; ends with a line break. */
export const svgGraph: View<Graph> = (graph, { full = false }) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${drawing(drawnGraph(graph, full ? 'full' : 'folded'))}\n`;

/** The graph as it is drawn: folded where it is large. */
export function drawnGraph(graph: Graph, detail: 'full' | 'folded'): Graph {
  return detail === 'full' ? graph : foldGraph(graph, limits);
}

/** The svg element. */
export function drawing(graph: Graph): string {
  const head = [graphTitle(graph), graphLegend(graph), ...graph.notes];
  const parts: string[] = [];
  let y = margin + head.length * lineHeight + padding;
  let width = greatest(head.map((line) => displayWidth(line) * characterWidth));
  for (const label of graph.organizations) {
    const part = organizationPart(graph, label);
    const heading =
      graph.organizations.length > 1 ? textAt({ x: 0, y: lineHeight }, [label], ' font-weight="bold"') : '';
    const offset = heading === '' ? 0 : lineHeight * 2;
    parts.push(
      `<g transform="translate(${margin} ${y})">${heading}<g transform="translate(0 ${offset})">\n${part.text}</g></g>\n`,
    );
    y += part.height + offset + margin;
    width = Math.max(width, part.width);
  }
  const size = { width: Math.ceil(width + 2 * margin), height: Math.ceil(y + margin) };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="graph-title graph-text" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12">`,
    `<title id="graph-title">${xmlText(head[0] ?? '')}</title>`,
    `<desc id="graph-text">${xmlText(head.slice(1).join(' '))}</desc>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>',
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    `${textAt({ x: margin, y: margin + 8 }, head, ' fill="#1f2328"')}`,
    `${parts.join('')}</svg>`,
  ].join('\n');
}

function organizationPart(graph: Graph, label: string) {
  const nodes = graph.nodes.filter(({ organization }) => organization === label);
  const own = new Set(nodes.map(({ id }) => id));
  const edges = graph.edges.filter(({ from, to }) => own.has(from) && own.has(to));
  const texts = new Map(nodes.map((node) => [node.id, linesOf(node)]));
  const boxes = nodes.map(({ id }): LayoutBox => {
    const lines = texts.get(id) ?? [];
    const longest = greatest(lines.map(displayWidth));
    return {
      id,
      width: Math.ceil(longest * characterWidth + 2 * padding),
      height: lines.length * lineHeight + padding,
    };
  });
  const isSmall = fits({ ...graph, nodes, edges }, limits);
  const layout = isSmall ? arrange(boxes, edges) : stack(boxes, edges);
  const text = [
    ...edges.map((edge, at) => edgePart(edge, layout.lines[at] ?? [])),
    ...nodes.map((node, at) => nodePart(node, texts.get(node.id) ?? [], placed(boxes[at], layout))),
  ].join('');
  return { text, width: layout.width, height: layout.height };
}

/** A box with its top left corner. */
type PlacedBox = Omit<LayoutBox, 'id'> & GraphPoint;

function placed(box: LayoutBox | undefined, { centres }: GraphLayout): PlacedBox {
  const { id = '', width = 0, height = 0 } = box ?? {};
  const { x, y } = centres.get(id) ?? { x: 0, y: 0 };
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function nodePart(node: GraphNode, lines: readonly string[], { x, y, width, height }: PlacedBox): string {
  const { fill, line, ink } = node.action === undefined ? plainColors : actionColors[node.action];
  const stroke = node.isKept ? ' stroke-width="2.5"' : '';
  const box = `<rect x="${round(x)}" y="${round(y)}" width="${width}" height="${height}" rx="6" fill="${fill}" stroke="${line}"${stroke}/>`;
  const text = textAt({ x: x + padding, y: y + lineHeight }, lines, ` fill="${ink}"`);
  return `<g><title>${xmlText(lines.join('; '))}</title>${box}${text}</g>\n`;
}

function edgePart({ type, label }: GraphEdge, points: readonly GraphPoint[]): string {
  const dashes = type === 'needs' || type === 'parent' ? '' : ' stroke-dasharray="5 4"';
  const path = `<path d="${pathOf(points)}" fill="none" stroke="#57606a"${dashes} marker-end="url(#arrow)"/>`;
  const middle = points[Math.floor(points.length / 2)];
  if (label === undefined || middle === undefined) return `${path}\n`;
  return `${path}${textAt({ x: middle.x + 4, y: middle.y - 4 }, [label], ' fill="#57606a" font-size="10"')}\n`;
}

/** A line through the points, with its corners rounded. */
function pathOf(points: readonly GraphPoint[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const corners = rest.map((point, at) => {
    const next = rest[at + 1];
    if (next === undefined) return `L${spot(point)}`;
    const half = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${spot(point)} ${spot(half)}`;
  });
  return `M${spot(first)}${corners.join('')}`;
}

function spot({ x, y }: GraphPoint): string {
  return `${round(x)} ${round(y)}`;
}

function textAt({ x, y }: GraphPoint, lines: readonly string[], attributes: string): string {
  const spans = lines.map(
    (line, at) => `<tspan x="${round(x)}" y="${round(y + at * lineHeight)}">${xmlText(line)}</tspan>`,
  );
  return `<text xml:space="preserve"${attributes}>${spans.join('')}</text>`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

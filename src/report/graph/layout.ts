/** Places the nodes of a graph in layers, from left to right. Pure, and the same for the same graph. */
import { Graph as Layers, layout as place } from '@dagrejs/dagre';
import { grouped, push } from '../../util/group.ts';
import { greatest } from '../../util/lists.ts';
import type { GraphEdge } from './graph.ts';

/** A node to place. */
export interface LayoutBox {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** A point in pixels, from the top left corner. */
export interface GraphPoint {
  readonly x: number;
  readonly y: number;
}

/** A placed graph. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** Centres of the nodes, by id. */
  readonly centres: ReadonlyMap<string, GraphPoint>;
  /** The points of each edge, in the order of the edges. */
  readonly lines: readonly (readonly GraphPoint[])[];
}

const layerGap = 70;
const nodeGap = 18;
/** Nodes in one column of a layer that is not arranged. */
const columnLength = 60;

/** Arranges the nodes so that few edges cross. Takes seconds for a thousand nodes. */
export function arrange(boxes: readonly LayoutBox[], edges: readonly GraphEdge[]): GraphLayout {
  const graph = new Layers({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ranksep: layerGap, nodesep: nodeGap, edgesep: nodeGap / 2 });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const [at, { from, to }] of edges.entries()) graph.setEdge(from, to, {}, String(at));
  place(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    centres: new Map(boxes.map(({ id }) => [id, pointOf(graph.node(id))])),
    lines: edges.map(({ from, to }, at) => (graph.edge(from, to, String(at)).points ?? []).map(pointOf)),
  };
}

function pointOf({ x = 0, y = 0 }: { readonly x?: number; readonly y?: number }): GraphPoint {
  return { x, y };
}

/** Puts the nodes of each layer below each other in their order, with straight edges: for graphs that are too large to arrange. */
export function stack(boxes: readonly LayoutBox[], edges: readonly GraphEdge[]): GraphLayout {
  const layers = layersOf(boxes, edges);
  const byLayer = grouped(boxes, ({ id }) => String(layers.get(id) ?? 0));
  const columns: (readonly LayoutBox[])[] = [];
  for (const [, layer] of [...byLayer].sort(([left], [right]) => Number(left) - Number(right))) {
    for (let start = 0; start < layer.length; start += columnLength)
      columns.push(layer.slice(start, start + columnLength));
  }
  const centres = new Map<string, GraphPoint>();
  let x = 0;
  let height = 0;
  for (const column of columns) {
    const width = greatest(column.map((box) => box.width));
    let y = 0;
    for (const box of column) {
      centres.set(box.id, { x: x + width / 2, y: y + box.height / 2 });
      y += box.height + nodeGap;
    }
    x += width + layerGap;
    height = Math.max(height, y - nodeGap);
  }
  const widths = new Map(boxes.map(({ id, width }) => [id, width]));
  const lines = edges.map(({ from, to }) => {
    const [start, end] = [centres.get(from), centres.get(to)];
    if (start === undefined || end === undefined) return [];
    const side = end.x >= start.x ? 1 : -1;
    return [
      { x: start.x + (side * (widths.get(from) ?? 0)) / 2, y: start.y },
      { x: end.x - (side * (widths.get(to) ?? 0)) / 2, y: end.y },
    ];
  });
  return { width: Math.max(0, x - layerGap), height, centres, lines };
}

/** The length of the longest way to each node; what is in a circle stays where the circle was entered. */
function layersOf(boxes: readonly LayoutBox[], edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const waiting = new Map<string, number>(boxes.map(({ id }) => [id, 0]));
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) {
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
    push(next, from, to);
  }
  const layers = new Map<string, number>();
  const ready = boxes.filter(({ id }) => waiting.get(id) === 0).map(({ id }) => id);
  for (const id of ready) {
    for (const to of next.get(id) ?? []) {
      layers.set(to, Math.max(layers.get(to) ?? 0, (layers.get(id) ?? 0) + 1));
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  return layers;
}

/** A graph as JSON, for programs that draw or measure it; never folded. Pure. */
import { stableStringify } from '../../util/json.ts';
import type { View } from '../view.ts';
import type { Graph } from './graph.ts';

/** Nodes and edges as they are; ends with a line break. */
export const graphJson: View<Graph> = ({ type, organizations, nodes, edges, notes }) => {
  const plain = nodes.map(({ isKept: _isKept, count: _count, ...node }) => node);
  return `${stableStringify({ format: 1, graph: type, organizations, nodes: plain, edges, notes }, 2)}\n`;
};

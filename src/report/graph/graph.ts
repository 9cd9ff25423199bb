import type { Action, Phase } from '../../plan/plan.ts';
import { countOf } from '../../util/count.ts';
import { stableStringify } from '../../util/json.ts';
import { phaseWords } from '../apply/outcome-line.ts';
import { actionSigns } from '../plan/change-lines.ts';
import { displayWidth, quote, safeText, wrap } from '../text/safe-text.ts';
import type { View } from '../view.ts';

export interface GraphNode {
  /** Unique in the graph, and stable. */
  readonly id: string;
  readonly organization: string;
  /** A folded node has `*` in place of keys. */
  readonly address: string;
  readonly noun: string;
  readonly title?: string;
  readonly action?: Action;
  readonly phase?: Phase;
  readonly fields: readonly string[];
  /** In the order in which they are sent. */
  readonly operations: readonly string[];
  /** Cascaded deletes, risks, refusals and conflicts. */
  readonly marks: readonly string[];
  /** True for a step that reverts drift. */
  readonly isDrift?: true;
  /** Never folded, however large the graph is. */
  readonly isKept: boolean;
  readonly count: number;
}

/** Why two nodes are connected. */
export type GraphEdgeType = 'parent' | 'reference' | 'needs' | 'after';

/**
 * In a plan from the earlier step to the later one; in a workspace from the parent to the child, or from an object to the one it
 * refers to.
 */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly type: GraphEdgeType;
  readonly label?: string;
}

export interface Graph {
  readonly type: 'plan' | 'workspace';
  readonly organizations: readonly string[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly notes: readonly string[];
}

/** Maximum width of the lines of a node. */
const lineWidth = 48;
/** Names of fields or operations that are shown; the others are counted. */
const mostNames = 4;

/** For example `Plan of acme: 12 steps`. */
export function graphTitle({ type, organizations, nodes }: Graph): string {
  const [what, noun] = type === 'plan' ? ['Plan', 'step'] : ['Workspace', 'object'];
  const count = nodes.reduce((sum, node) => sum + node.count, 0);
  const names = organizations.slice(0, 3).map(safeText).join(', ');
  const more = organizations.length > 3 ? ` and ${organizations.length - 3} more` : '';
  return `${what} of ${names === '' ? 'nothing' : names}${more}: ${countOf(count, noun)}`;
}

export function graphLegend({ type }: Graph): string {
  return type === 'plan'
    ? 'Arrows lead from a step to those that wait for it. Solid: it must succeed; dashed: it must end.'
    : 'Solid arrows lead from parent to child, dashed ones from an object to what it refers to.';
}

/** Empty for objects. */
export function signOf({ action }: GraphNode): string {
  return action === undefined ? '' : actionSigns[action];
}

/** Lines that are safe on a terminal, the address first. `sign`: formats the sign of the action. */
export function linesOf(node: GraphNode, sign = (text: string) => `${text} `): readonly string[] {
  const before = node.action === undefined ? '' : sign(signOf(node));
  const { fields, operations, marks, isDrift } = node;
  const requests = operations.length;
  const rest = [
    whatOf(node),
    ...(fields.length === 0 ? [] : [`fields: ${namesText(fields)}`]),
    ...(requests === 0 ? [] : [`${countOf(requests, 'request')}: ${namesText([...new Set(operations)])}`]),
    ...(isDrift === true ? ['reverts drift'] : []),
    ...marks.map((mark) => `! ${safeText(mark)}`),
  ];
  return [
    ...addressLines(`${before}${safeText(node.address)}`),
    ...rest.flatMap((line) => wrap(line, lineWidth)),
  ];
}

/** So many nodes without edges stand in one column. */
const inOneColumn = 8;

/** Pairs to connect invisibly, so that many nodes without edges stand in several columns, in reading order. */
export function besideEachOther({ organizations, nodes, edges }: Graph) {
  const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
  return organizations.flatMap((label) => {
    const lone = nodes.filter(({ id, organization }) => organization === label && !connected.has(id));
    const rows = Math.max(inOneColumn, Math.ceil(Math.sqrt(lone.length * 2)));
    return lone.slice(rows).map(({ id }, at) => ({ from: lone[at]?.id ?? '', to: id }));
  });
}

/** Breaks after slashes, if the keys allow it. */
function addressLines(address: string): readonly string[] {
  const lines = [''];
  for (const part of address.match(/[^/]*\/|[^/]+/g) ?? []) {
    const line = `${lines.at(-1)}${part}`;
    if (displayWidth(line) <= lineWidth || lines.at(-1) === '') lines[lines.length - 1] = line;
    else lines.push(part);
  }
  return lines.flatMap((line) => wrap(line, lineWidth));
}

/** For example `update section "FAQ"`, or `47 sections`. */
function whatOf({ action, phase, noun, title, count }: GraphNode): string {
  const verb = phase === undefined ? '' : `${phaseWords[phase].noun}: `;
  const replaced = action === 'replace' ? ' (replacement)' : '';
  if (count > 1) return `${verb}${countOf(count, safeText(noun))}${replaced}`;
  return `${verb}${safeText(noun)}${title === undefined ? '' : ` ${quote(title)}`}${replaced}`;
}

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(safeText).join(', ');
  return names.length > mostNames ? `${shown} and ${names.length - mostNames} more` : shown;
}

export interface NodeColors {
  readonly fill: string;
  readonly line: string;
  readonly ink: string;
}

/** Colours carry no meaning alone: signs and words say the same. */
export const actionColors: Readonly<Record<Action, NodeColors>> = {
  create: { fill: '#e6f4ea', line: '#1a7f37', ink: '#0b3d1a' },
  update: { fill: '#fff8e1', line: '#9a6700', ink: '#4d3300' },
  move: { fill: '#e1f0ff', line: '#0969da', ink: '#04305f' },
  replace: { fill: '#f3e8ff', line: '#8250df', ink: '#3c1a78' },
  delete: { fill: '#ffebe9', line: '#cf222e', ink: '#660a12' },
  restore: { fill: '#e0f7f7', line: '#1b7c83', ink: '#063f43' },
};

export const plainColors: NodeColors = { fill: '#f6f8fa', line: '#6e7781', ink: '#1f2328' };

export const graphJson: View<Graph> = ({ type, organizations, nodes, edges, notes }) => {
  const plain = nodes.map(({ isKept: _isKept, count: _count, ...node }) => node);
  return `${stableStringify({ format: 1, graph: type, organizations, nodes: plain, edges, notes }, 2)}\n`;
};

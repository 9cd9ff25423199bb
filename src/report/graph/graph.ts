/** A graph as data: the steps of a plan or the objects of a workspace, and what leads from one to another. Pure. */
import type { Action, Phase } from '../../plan/plan.ts';
import { countOf } from '../../util/count.ts';
import { actionSigns } from '../change-lines.ts';
import { phaseWords } from '../outcome-line.ts';
import { displayWidth, quote, safeText, wrap } from '../safe-text.ts';

/** A step or an object, or several of them that are folded. */
export interface GraphNode {
  /** Unique in the graph, and stable. */
  readonly id: string;
  /** Label of its organization. */
  readonly organization: string;
  /** Of a folded node with `*` in place of keys. */
  readonly address: string;
  readonly noun: string;
  /** What people call it, where that is known. */
  readonly title?: string;
  /** Of a step. */
  readonly action?: Action;
  /** Of a step. */
  readonly phase?: Phase;
  /** Names of the fields that a step sets. */
  readonly fields: readonly string[];
  /** Operations that a step sends, in order. */
  readonly operations: readonly string[];
  /** What a reviewer must not miss: what a delete takes along, risks, refusals, drift. */
  readonly marks: readonly string[];
  /** True for what is shown by itself, however large the graph is. */
  readonly isKept: boolean;
  /** How many steps or objects it is. */
  readonly count: number;
}

/** Why one thing leads to another. */
export type GraphEdgeType = 'parent' | 'reference' | 'needs' | 'after';

/** An arrow: in a plan from the earlier step to the later one, in a workspace from the parent to the child or from an object to the one it refers to. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly type: GraphEdgeType;
  /** The fields of a reference. */
  readonly label?: string;
}

/** A whole graph. */
export interface Graph {
  readonly type: 'plan' | 'workspace';
  /** Labels of the organizations. */
  readonly organizations: readonly string[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** What is not there, in sentences. */
  readonly notes: readonly string[];
}

/** Columns of the lines of a node. */
const lineWidth = 48;
/** Names of fields or operations that are shown; of more, how many there are. */
const mostNames = 4;

/** What a graph is of, for example `Plan of acme: 12 steps`. */
export function graphTitle({ type, organizations, nodes }: Graph): string {
  const [what, noun] = type === 'plan' ? ['Plan', 'step'] : ['Workspace', 'object'];
  const count = nodes.reduce((sum, node) => sum + node.count, 0);
  const names = organizations.slice(0, 3).map(safeText).join(', ');
  const more = organizations.length > 3 ? ` and ${organizations.length - 3} more` : '';
  return `${what} of ${names === '' ? 'nothing' : names}${more}: ${countOf(count, noun)}`;
}

/** What the arrows mean. */
export function graphLegend({ type }: Graph): string {
  return type === 'plan'
    ? 'Arrows lead from a step to those that wait for it. Solid: it must succeed; dashed: it must end.'
    : 'Solid arrows lead from parent to child, dashed ones from an object to what it refers to.';
}

/** The sign of what is done; empty for objects. */
export function signOf({ action }: GraphNode): string {
  return action === undefined ? '' : actionSigns[action];
}

/** What a node says, the address first, in lines that are safe on a terminal. `sign`: how the sign of its action is written. */
export function linesOf(node: GraphNode, sign = (text: string) => `${text} `): readonly string[] {
  const before = node.action === undefined ? '' : sign(signOf(node));
  const { fields, operations, marks } = node;
  const requests = operations.length;
  const rest = [
    whatOf(node),
    ...(fields.length === 0 ? [] : [`fields: ${namesText(fields)}`]),
    ...(requests === 0 ? [] : [`${countOf(requests, 'request')}: ${namesText([...new Set(operations)])}`]),
    ...marks.map((mark) => `! ${safeText(mark)}`),
  ];
  return [
    ...addressLines(`${before}${safeText(node.address)}`),
    ...rest.flatMap((line) => wrap(line, lineWidth)),
  ];
}

/** An address in lines that end with a slash, as far as its keys let them. */
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

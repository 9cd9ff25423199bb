/** The colours of actions in graphs. They carry no meaning alone: signs and words say the same. */
import type { Action } from '../../plan/plan.ts';

/** Colours of a node: with enough contrast for text. */
export interface NodeColors {
  readonly fill: string;
  readonly line: string;
  readonly ink: string;
}

/** By action. */
export const actionColors: Readonly<Record<Action, NodeColors>> = {
  create: { fill: '#e6f4ea', line: '#1a7f37', ink: '#0b3d1a' },
  update: { fill: '#fff8e1', line: '#9a6700', ink: '#4d3300' },
  move: { fill: '#e1f0ff', line: '#0969da', ink: '#04305f' },
  replace: { fill: '#f3e8ff', line: '#8250df', ink: '#3c1a78' },
  delete: { fill: '#ffebe9', line: '#cf222e', ink: '#660a12' },
  restore: { fill: '#e0f7f7', line: '#1b7c83', ink: '#063f43' },
};

/** Of objects, and of what has no action. */
export const plainColors: NodeColors = { fill: '#f6f8fa', line: '#6e7781', ink: '#1f2328' };

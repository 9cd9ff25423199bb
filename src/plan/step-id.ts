/** Names of steps: the address and the phase, unique in a plan. */
import type { Phase } from './plan.ts';

/** The id of a step. */
export function stepId(address: string, phase: Phase): string {
  return `${address}#${phase}`;
}

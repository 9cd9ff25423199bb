/** Names of steps: the address and the phase, unique in a plan. */
import type { Phase } from './plan.ts';

/** The id of a step. */
export function stepId(address: string, phase: Phase): string {
  return `${address}#${phase}`;
}

/** The address in the id of a step. */
export function addressOfStep(id: string): string {
  return id.slice(0, id.lastIndexOf('#'));
}

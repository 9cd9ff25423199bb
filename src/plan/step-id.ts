import type { Phase } from './plan.ts';

export function stepId(address: string, phase: Phase): string {
  return `${address}#${phase}`;
}

export function addressOfStep(id: string): string {
  return id.slice(0, id.lastIndexOf('#'));
}

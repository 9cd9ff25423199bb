import { parentOf } from '../tree/addressing.ts';
import type { Phase } from './plan.ts';

export function stepId(address: string, phase: Phase): string {
  return `${address}#${phase}`;
}

export function addressOfStep(id: string): string {
  return id.slice(0, id.lastIndexOf('#'));
}

/**
 * Steps without which another one is left out as well: those it needs; and of a move the arrivals of siblings, which it follows. It makes
 * the order that is there with them, and without them would be made again each time.
 */
export function dependenciesOf(step: {
  readonly address: string;
  readonly phase: Phase;
  readonly needs: Iterable<string>;
  readonly after: Iterable<string>;
}): readonly string[] {
  const { address, phase, needs, after } = step;
  const parent = parentOf(address);
  const arrivals = [...after].filter(
    (id) => /#(?:create|restore|attach)$/.test(id) && parentOf(addressOfStep(id)) === parent,
  );
  return [...needs, ...(phase === 'move' ? arrivals : [])];
}

import { parentOf } from '../tree/addressing.ts';
import type { Phase } from './plan.ts';

export function stepId(address: string, phase: Phase): string {
  return `${address}#${phase}`;
}

export function addressOfStep(id: string): string {
  return id.slice(0, id.lastIndexOf('#'));
}

/**
 * Steps without which this one is omitted too: its needs and, for a move, arrivals of siblings before it. The move establishes
 * an order that includes them; without them, it would be planned again each time.
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

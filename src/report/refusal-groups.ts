/** Refusals that say the same of many objects, told once with all addresses. Pure. */
import type { Refusal } from '../plan/plan.ts';
import { byAddress } from './natural-order.ts';

/** Refusals that differ in nothing but the object. */
export interface RefusalGroup {
  /** Told in full. */
  readonly first: Refusal;
  /** The addresses of the others. */
  readonly others: readonly string[];
}

/** As few as these are told one by one. */
const togetherFrom = 4;

/** The refusals in order of their addresses, equal ones together. */
export function groupRefusals(refusals: readonly Refusal[]): readonly RefusalGroup[] {
  const sorted = [...refusals].sort((left, right) => byAddress(left.address, right.address));
  const groups = new Map<string, Refusal[]>();
  for (const refusal of sorted) {
    const key = meaningOf(refusal);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [refusal]);
    else known.push(refusal);
  }
  return [...groups.values()].flatMap((group) => {
    const [first, ...rest] = group;
    if (first === undefined) return [];
    if (group.length < togetherFrom) return group.map((one) => ({ first: one, others: [] }));
    return [{ first, others: rest.map(({ address }) => address) }];
  });
}

/** What a refusal says, whatever object it says it of. */
function meaningOf({ guard, address, message, suggestion }: Refusal): string {
  const general = (text: string) => text.replaceAll(address, '*').replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return JSON.stringify([guard, general(message), general(suggestion)]);
}

/** Equal refusals of many objects, shown once with all addresses. Pure. */
import type { Refusal } from '../plan/plan.ts';
import { foldEqual } from './fold.ts';
import { byAddress } from './natural-order.ts';

/** Refusals that differ in nothing but the object. */
export interface RefusalGroup {
  /** Told in full. */
  readonly first: Refusal;
  /** The addresses of the others. */
  readonly others: readonly string[];
}

/** The refusals in order of their addresses, equal ones together. */
export function groupRefusals(refusals: readonly Refusal[]): readonly RefusalGroup[] {
  const sorted = [...refusals].sort((left, right) => byAddress(left.address, right.address));
  return foldEqual(sorted, meaningOf).flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ first, others: rest.map(({ address }) => address) }],
  );
}

/** What a refusal says, whatever object it says it of. */
function meaningOf({ guard, address, message, suggestion }: Refusal): string {
  const general = (text: string) => text.replaceAll(address, '*').replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return JSON.stringify([guard, general(message), general(suggestion)]);
}

/** The order of addresses for people: the organization first, parents before children, `bulk-2` before `bulk-10`. Pure. */
import { compareTexts } from './lists.ts';

export function byAddress(left: string, right: string): number {
  return byEach(partsOf(left), partsOf(right), byNumbers);
}

/** The organization has no parent and comes first. */
function partsOf(address: string): readonly string[] {
  return address === 'organization' ? [] : address.split('/');
}

function byNumbers(left: string, right: string): number {
  return byEach(left.match(pieces) ?? [], right.match(pieces) ?? [], (one, other) => {
    const difference = Number(one) - Number(other);
    return Number.isNaN(difference) || difference === 0 ? compareTexts(one, other) : difference;
  });
}

/** By the first difference; else, the shorter list comes first. */
function byEach(lefts: readonly string[], rights: readonly string[], compare: typeof compareTexts): number {
  for (const [at, left] of lefts.slice(0, rights.length).entries()) {
    const difference = compare(left, rights[at] ?? '');
    if (difference !== 0) return difference;
  }
  return lefts.length - rights.length;
}

const pieces = /\d+|\D+/g;

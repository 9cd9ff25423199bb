/** The order of addresses for people: the organization first, parents before children, `bulk-2` before `bulk-10`. Pure. */

export function byAddress(left: string, right: string): number {
  const [lefts, rights] = [partsOf(left), partsOf(right)];
  for (let at = 0; at < Math.min(lefts.length, rights.length); at += 1) {
    const difference = byNumbers(lefts[at] ?? '', rights[at] ?? '');
    if (difference !== 0) return difference;
  }
  return lefts.length - rights.length;
}

/** The organization has no parent and comes first. */
function partsOf(address: string): readonly string[] {
  return address === 'organization' ? [] : address.split('/');
}

function byNumbers(left: string, right: string): number {
  const [lefts, rights] = [left.match(pieces) ?? [], right.match(pieces) ?? []];
  for (let at = 0; at < Math.min(lefts.length, rights.length); at += 1) {
    const [one = '', other = ''] = [lefts[at], rights[at]];
    if (one === other) continue;
    const difference = Number(one) - Number(other);
    if (!Number.isNaN(difference) && difference !== 0) return difference;
    return one < other ? -1 : 1;
  }
  return lefts.length - rights.length;
}

const pieces = /\d+|\D+/g;

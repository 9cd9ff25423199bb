/**
 * Selects the members of an ordered container that can keep their place while the others are moved: as many as possible. Each other
 * one is placed after its predecessor or before the next kept member, if that can be its anchor. After the last kept member, one
 * without an anchor moves to the end, and all that follow it are placed too.
 *
 * Example: a section m can be an anchor for sections and groups, a group only for groups.
 *   m a b c d  to become  a b m c d
 *   keep a b c d: m has no anchor between b and c, so c and d would have to follow
 *   keep m c d: a moves before m, b after a. Two moves.
 */

export interface Sequenced {
  readonly place: number | undefined;
  readonly kind: string;
  /** Kinds next to which the member can be placed. */
  readonly anchors: readonly string[];
}

export function keepers(members: readonly Sequenced[]): readonly number[] {
  const kinds = new Set(members.map(({ kind }) => kind));
  const isFree = members.every(({ anchors }) => [...kinds].every((kind) => anchors.includes(kind)));
  return isFree ? longestKept(members) : longestAnchored(members);
}

function longestKept(members: readonly Sequenced[]): readonly number[] {
  const known = members.flatMap(({ place }, index) => (place === undefined ? [] : [index]));
  const places = known.map((index) => members[index]?.place ?? -1);
  return longestIncreasing(places).map((at) => known[at] ?? -1);
}

interface KeptChain {
  readonly length: number;
  /** Index of the kept member before; -1 for the first one. */
  readonly from: number;
}

/**
 * For each member, the longest chain of kept members that ends with it. The longest of all is kept; of equal ones the one that ends
 * lowest, since new objects arrive at the end.
 */
function longestAnchored(members: readonly Sequenced[]): readonly number[] {
  const chains: (KeptChain | undefined)[] = [];
  let last = -1;
  for (const [index, member] of members.entries()) {
    const chain = member.place === undefined ? undefined : chainTo(members, index, chains);
    chains.push(chain);
    const [own, other] = [chain?.length ?? 0, chains[last]?.length ?? 0];
    const isLower = (member.place ?? 0) < (members[last]?.place ?? 0);
    if (own > other || (own === other && own > 0 && isLower)) last = index;
  }
  const kept: number[] = [];
  for (let index = last; index >= 0; index = chains[index]?.from ?? -1) kept.push(index);
  return kept.reverse();
}

function chainTo(
  members: readonly Sequenced[],
  index: number,
  chains: readonly (KeptChain | undefined)[],
): KeptChain | undefined {
  const anchor = members[index];
  const { place: own = -1 } = anchor ?? {};
  let best: KeptChain | undefined;
  for (let before = index - 1; before >= 0; before -= 1) {
    const { length = 0 } = chains[before] ?? {};
    const isBefore = (members[before]?.place ?? own) < own;
    if (isBefore && length >= (best?.length ?? 1)) best = { length: length + 1, from: before };
    // A member in between that has no anchor must be kept itself.
    if (!isNext(members[before], members[before - 1]) && !isNext(members[before], anchor)) return best;
  }
  return best ?? { length: 1, from: -1 };
}

function isNext(member: Sequenced | undefined, anchor: Sequenced | undefined): boolean {
  return anchor !== undefined && member?.anchors.includes(anchor.kind) === true;
}

/**
 * Returns the indexes of a longest strictly increasing subsequence of `values`, ascending; if there are several, the one whose
 * members end lowest. Takes n log n steps.
 */
export function longestIncreasing(values: readonly number[]): readonly number[] {
  const tails: number[] = [];
  const previous: number[] = [];
  values.forEach((value, index) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = index;
  });
  const result: number[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) result.push(index);
  return result.reverse();
}

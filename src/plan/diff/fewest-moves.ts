/**
 * Computes the fewest moves that bring the members of an ordered container into the written order (in rare cases one more, where
 * members of two gaps wait for each other). Others are placed next to those that keep their place, or that still have to move.
 *
 * Example: a choosy member (a section) can only be placed next to choosy ones, others (groups, here in capitals) next to any.
 *   a E c b d  to become  b E c a d
 *   keep E c d: b moves before a, which is still there, then a after c. Two moves.
 */

export interface Sequenced {
  readonly place: number | undefined;
  /** True if only choosy members can be its anchors. */
  readonly isChoosy: boolean;
}

/** A move of the member with this index; without an anchor, to the end. */
export interface Moved {
  readonly index: number;
  readonly anchor?: { readonly side: 'before' | 'after'; readonly index: number };
}

/** In the order in which they are made: choosy members first, since others separate them from their anchors. */
export function fewestMoves(members: readonly Sequenced[]): readonly Moved[] {
  const kept = longestKept(members);
  const moves = movesAround(members, kept);
  if (moves !== undefined) return moves;
  // Members wait for each other to leave; without a separator, they stand together.
  const separator = kept.findLast((index) => members[index]?.isChoosy === false);
  return fewestMoves(
    members.map((member, index) => (index === separator ? { ...member, place: undefined } : member)),
  );
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
function longestKept(members: readonly Sequenced[]): readonly number[] {
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
  const { place: own = -1, isChoosy = false } = members[index] ?? {};
  const nearest = members.reduce(
    (most, { place = -1, isChoosy }) => (isChoosy && place < own && place > most ? place : most),
    -1,
  );
  let best: KeptChain | undefined;
  let needsAnchor = false;
  for (let before = index - 1; before >= -1; before -= 1) {
    const member = members[before] ?? { place: -1, isChoosy: false };
    const { place = own } = member;
    const length = before < 0 ? 0 : (chains[before]?.length ?? -1);
    const isOpen = !needsAnchor || isChoosy || member.isChoosy || nearest > place;
    if (isOpen && place < own && length >= (best?.length ?? 0)) best = { length: length + 1, from: before };
    needsAnchor ||= member.isChoosy;
  }
  return best;
}

/** Returns nothing if a member would have to stand next to one that can be no anchor. */
function movesAround(members: readonly Sequenced[], kept: readonly number[]): readonly Moved[] | undefined {
  const moves = firstMoves(members, kept);
  if (moves === undefined) return undefined;
  const placed = new Set([...kept, ...moves.map(({ index }) => index)]);
  for (const choosy of [true, false]) {
    const isAnchor = (index: number) => members[index] !== undefined && (!choosy || members[index].isChoosy);
    let previous = -1;
    for (const [index, { isChoosy }] of members.entries()) {
      if (!placed.has(index) && isChoosy === choosy) {
        const following = isAnchor(previous)
          ? -1
          : members.findIndex((_, at) => at > index && placed.has(at));
        if (isAnchor(previous)) moves.push({ index, anchor: { side: 'after', index: previous } });
        else if (isAnchor(following)) moves.push({ index, anchor: { side: 'before', index: following } });
        else moves.push({ index });
        placed.add(index);
      }
      if (placed.has(index)) previous = index;
    }
  }
  return moves;
}

/** One move into each gap between kept members that has no kept anchor, while a member that leaves it is still there. */
function firstMoves(members: readonly Sequenced[], kept: readonly number[]): Moved[] | undefined {
  const choosy = [...members.keys()].filter((index) => members[index]?.isChoosy);
  const placeOf = (index: number) => members[index]?.place ?? -1;
  const gaps = kept.flatMap((end, at) => {
    const start = kept[at - 1] ?? -1;
    const wanted = choosy.filter((index) => index >= start && index <= end);
    if (wanted.length === 0 || wanted[0] === start || wanted.at(-1) === end) return [];
    const there = choosy.filter((index) => placeOf(index) > placeOf(start) && placeOf(index) < placeOf(end));
    return [{ wanted, there: new Set(there) }];
  });
  const moves: Moved[] = [];
  while (gaps.length > 0) {
    const canLeave = (index: number) => !gaps.some(({ there }) => there.size === 1 && there.has(index));
    const at = gaps.findIndex(({ wanted }) => wanted.some(canLeave));
    const { wanted = [], there = [] } = gaps.splice(at, at < 0 ? 0 : 1)[0] ?? {};
    const index = wanted.find(canLeave);
    const [anchor] = there;
    if (index === undefined || anchor === undefined) return undefined;
    moves.push({ index, anchor: { side: 'before', index: anchor } });
    for (const gap of gaps) gap.there.delete(index);
  }
  return moves;
}

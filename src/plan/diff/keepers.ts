/**
 * Selects the members of an ordered container that can keep their place while the others are moved. Two answers may be
 * best: as many as possible, or first those that every other member can be placed next to.
 *
 * Example: a section m can be an anchor for sections and groups, a group only for groups.
 *   m a b c d  to become  a b m c d
 *   as many as possible: keep a b c d, but m has no anchor: m moves to the end, and c and d follow. Three moves.
 *   anchors first:       keep m c d; a moves before m, b after a. Two moves.
 */

export interface Sequenced {
  readonly place: number | undefined;
  readonly isAnchor: boolean;
}

export function keepers(members: readonly Sequenced[]): readonly (readonly number[])[] {
  const known = indexesOf(members, ({ place }) => place !== undefined);
  const most = increasing(members, known);
  if (members.every(({ isAnchor }) => isAnchor) || !members.some(({ isAnchor }) => isAnchor)) return [most];
  return [most, anchorsFirst(members, known)];
}

function anchorsFirst(members: readonly Sequenced[], known: readonly number[]): readonly number[] {
  const anchors = increasing(
    members,
    known.filter((index) => members[index]?.isAnchor === true),
  );
  // Other members keep their place if they are on the correct side of the anchors around them.
  const windows: number[][] = [[]];
  for (const index of known) {
    const at = windows.length - 1;
    if (index === anchors[at]) windows.push([]);
    else if (members[index]?.isAnchor === false) {
      const low = placeOf(members, anchors[at - 1]) ?? -1;
      const high = placeOf(members, anchors[at]) ?? Number.POSITIVE_INFINITY;
      const place = placeOf(members, index) ?? -1;
      if (place > low && place < high) windows.at(-1)?.push(index);
    }
  }
  const between = windows.flatMap((window) => increasing(members, window));
  return [...anchors, ...between].sort((left, right) => left - right);
}

function increasing(members: readonly Sequenced[], chosen: readonly number[]): readonly number[] {
  const places = chosen.map((index) => members[index]?.place ?? -1);
  return longestIncreasing(places).map((at) => chosen[at] ?? -1);
}

function placeOf(members: readonly Sequenced[], index: number | undefined): number | undefined {
  return index === undefined ? undefined : members[index]?.place;
}

function indexesOf<T>(items: readonly T[], fits: (item: T) => boolean): readonly number[] {
  return items.flatMap((item, index) => (fits(item) ? [index] : []));
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

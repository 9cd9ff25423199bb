/** Items that say the same are shown together, from a few on. Pure. */
import { grouped } from '../util/group.ts';

/** Fewer equal items are shown one by one. */
export const togetherFrom = 4;

/** The items in groups of equal ones, in the order of their first; small groups are split up again. */
export function foldEqual<T>(items: Iterable<T>, keyOf: (item: T) => string): readonly (readonly T[])[] {
  return [...grouped(items, keyOf).values()].flatMap((group) =>
    group.length < togetherFrom ? group.map((one) => [one]) : [group],
  );
}

/** The longest increasing subsequence: which members of a sequence can stay where they are. */

/**
 * The indexes of one longest strictly increasing subsequence of `values`, ascending; of several, the one whose members
 * end lowest. Takes n log n steps.
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

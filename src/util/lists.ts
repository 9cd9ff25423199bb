/** For lists of any length: spread into arguments, a long one overflows the stack. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

export function greatest(numbers: Iterable<number>, least = 0): number {
  let found = least;
  for (const number of numbers) if (number > found) found = number;
  return found;
}

/** By UTF-16 code units: the same on every machine. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

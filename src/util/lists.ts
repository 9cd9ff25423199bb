/** Works for lists of any length: spreading a long one into arguments overflows the stack. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

export function greatest(numbers: Iterable<number>, least = 0): number {
  let found = least;
  for (const number of numbers) if (number > found) found = number;
  return found;
}

/** Compares UTF-16 code units, which gives the same order on every machine. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

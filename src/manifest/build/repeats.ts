/** Items with the key of an earlier one, each with the first one. An item without a key repeats nothing. */
export function* repeatsIn<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string | undefined,
): Generator<readonly [item: T, first: T]> {
  const known = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    const first = key === undefined ? undefined : known.get(key);
    if (first !== undefined) yield [item, first];
    else if (key !== undefined) known.set(key, item);
  }
}

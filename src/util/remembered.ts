type Memory<K, V> = Pick<Map<K, V>, 'get' | 'has'> & { set(key: K, value: V): unknown };

/** The value of a key; made and kept if the map has none. */
export function rememberedIn<K, V>(known: Memory<K, V>, key: K, make: () => V): V {
  if (!known.has(key)) known.set(key, make());
  return known.get(key) as V;
}

/** Cached per text, for the lifetime of the function. */
export function rememberedByText<V>(make: (text: string) => V): (text: string) => V {
  const known = new Map<string, V>();
  return (text) => rememberedIn(known, text, () => make(text));
}

/** Cached per key, for the lifetime of the key. */
export function remembered<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => rememberedIn(known, key, () => make(key));
}

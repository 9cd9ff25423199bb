import { rememberedIn } from './remembered.ts';

export function push<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  rememberedIn(lists, key, (): T[] => []).push(item);
}

export type NonEmpty<T> = readonly [T, ...T[]];

export function grouped<T>(items: Iterable<T>, keyOf: (item: T) => string): ReadonlyMap<string, NonEmpty<T>> {
  const groups = new Map<string, T[]>();
  for (const item of items) push(groups, keyOf(item), item);
  return groups as ReadonlyMap<string, readonly T[]> as ReadonlyMap<string, NonEmpty<T>>;
}

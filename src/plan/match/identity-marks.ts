/** Identities as texts, so that objects that may be the same are found by a look-up. */
import type { Identity, Kind } from '../../kinds/kind.ts';
import { push } from '../../util/group.ts';

/** What objects must have in common to be the same by one identity; undefined where one has no value. */
export function markOf({
  kind,
  identity,
  read,
  container,
}: {
  readonly kind: Kind;
  readonly identity: Identity;
  readonly read: (one: Identity) => string | undefined;
  /** Undefined where the container has yet to be made. */
  readonly container: string | undefined;
}): string | undefined {
  const value = read(identity);
  if (value === undefined || container === undefined) return undefined;
  // Another value of what cannot be changed makes another object, where the identity says so.
  const fixed =
    identity.unlessReplaced === true
      ? kind.identities.filter(({ field }) => kind.fields[field]?.change === 'replace')
      : [];
  return JSON.stringify([container, value, ...fixed.map((other) => read(other) ?? null)]);
}

/** Objects by their marks; those without one are left out. */
export function byMark<T>(
  items: readonly T[],
  read: (item: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const lists = new Map<string, T[]>();
  for (const item of items) {
    const mark = read(item);
    if (mark !== undefined) push(lists, mark, item);
  }
  return lists;
}

/** Kinds that are in each other or beside each other: a change of one shows in the lists of all. */
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';

const known = new WeakMap<Registry, Map<string, readonly Kind[]>>();

/** The kind, and all that are listed with it and in turn entangled: a section, its groups and its site-spaces. */
export function entangledWith(kind: Kind, registry: Registry): readonly Kind[] {
  const groups = known.get(registry) ?? new Map<string, readonly Kind[]>();
  known.set(registry, groups);
  const group = groups.get(kind.name) ?? groupOf(kind, registry);
  groups.set(kind.name, group);
  return group;
}

function groupOf(kind: Kind, registry: Registry): readonly Kind[] {
  const listed = registry.kinds.filter(({ reads }) => reads.list?.per === kind.reads.list?.per);
  const group = new Set([kind]);
  for (const one of group) for (const other of listed) if (isBeside(one, other)) group.add(other);
  return [...group];
}

/** True for kinds of which one is inside the other, or that share a place. */
function isBeside(one: Kind, other: Kind): boolean {
  const isIn = (inner: Kind, outer: Kind) => inner.places.some(({ parent }) => parent === outer.name);
  const keys = one.places.map(({ parent, key }) => `${parent} ${key}`);
  const isShared = other.places.some(({ parent, key, emptyWith }) =>
    [key, emptyWith].some((name) => keys.includes(`${parent} ${name}`)),
  );
  return isIn(one, other) || isIn(other, one) || isShared;
}

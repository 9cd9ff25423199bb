/**
 * Folds keys that are e-mail addresses to the form that services compare, before documents are merged: `Ada@acme.dev` and
 * `ada@acme.dev` are one person. Keys of other objects are kept as written.
 */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { desiredIdentity } from '../../tree/identity.ts';
import { entryOf, type Located, type LocatedEntry, type LocatedMap } from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { addKey } from '../files/paths.ts';

interface KeyFolding {
  readonly registry: Registry;
  readonly problems: Problems;
}

/** `kinds`: possible kinds of the object. */
export function foldKeys(map: LocatedMap, kinds: readonly Kind[], folding: KeyFolding): LocatedMap {
  const { registry } = folding;
  const entries = map.entries.map((entry): LocatedEntry => {
    const { key, value } = entry;
    if (value.type !== 'map') return entry;
    const places = kinds.flatMap(({ name }) => registry.at(name, key));
    const inside = places.map(({ kind }) => kind);
    if (places[0]?.place.shape === 'single') return { ...entry, value: foldKeys(value, inside, folding) };
    if (places.length === 0) return { ...entry, value: foldField(key, value, kinds, folding) };
    const children = value.entries.map((child) =>
      child.value.type === 'map' ? { ...child, value: foldKeys(child.value, inside, folding) } : child,
    );
    return { ...entry, value: folded({ ...value, entries: children }, inside[0], folding.problems) };
  });
  return { ...map, entries };
}

/** `path`: dotted name of the field, such as `access.members`; fields of the organization are below `organization`. */
function foldField(path: string, map: LocatedMap, kinds: readonly Kind[], folding: KeyFolding): LocatedMap {
  const { registry, problems } = folding;
  if (path === 'organization' && kinds.includes(registry.root)) return foldKeys(map, kinds, folding);
  const field = kinds.map(({ fields }) => fields[path]).find((one) => one !== undefined);
  if (field?.type !== 'members')
    return !kinds.some(({ fields }) => Object.keys(fields).some((name) => name.startsWith(`${path}.`)))
      ? map
      : {
          ...map,
          entries: map.entries.map((entry) =>
            entry.value.type === 'map'
              ? { ...entry, value: foldField(`${path}.${entry.key}`, entry.value, kinds, folding) }
              : entry,
          ),
        };
  const named = registry.byName(field.of);
  const added: Located | undefined = entryOf(map, addKey)?.value;
  if (added?.type !== 'map') return folded(map, named, problems);
  const entries = map.entries.map((entry) =>
    entry.value === added ? { ...entry, value: folded(added, named, problems) } : entry,
  );
  return folded({ ...map, entries }, named, problems);
}

function folded(map: LocatedMap, kind: Kind | undefined, problems: Problems): LocatedMap {
  const own = kind?.manifest.key;
  const identity =
    own?.is === 'field'
      ? kind?.identity.by.find(({ field, fold }) => field === own.field && fold)
      : undefined;
  if (kind === undefined || identity === undefined) return map;
  const entries = new Map<string, LocatedEntry>();
  for (const entry of map.entries) {
    const key = desiredIdentity({ [identity.field]: entry.key }, identity) ?? entry.key;
    const first = entries.get(key);
    if (first === undefined) entries.set(key, entry);
    else
      problems.error(
        'duplicate-key',
        `${JSON.stringify(entry.key)} is the same ${kind.noun} as ${JSON.stringify(first.key)}`,
        entry.keyAt,
        { suggestion: 'keep one of the two', related: [{ message: 'the first one', at: first.keyAt }] },
      );
  }
  return { ...map, entries: [...entries].map(([key, entry]) => ({ ...entry, key })) };
}

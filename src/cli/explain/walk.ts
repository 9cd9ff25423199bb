/** Resolves paths in manifests: `sites.sections.condition`, or an address such as `sites/hub/sections/api`. Pure. */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';

export type ManifestSpot =
  | { readonly type: 'kinds'; readonly kinds: readonly Kind[]; readonly path: string }
  | FieldSpot
  | { readonly type: 'common'; readonly kind: Kind; readonly name: string; readonly rest: readonly string[] }
  | UnknownSpot;

export interface FieldSpot {
  readonly type: 'field';
  readonly kind: Kind;
  /** Other kinds that the path may mean and that have the field. */
  readonly others: readonly Kind[];
  readonly name: string;
  readonly rest: readonly string[];
  readonly path: string;
}

export interface UnknownSpot {
  readonly type: 'unknown';
  readonly word: string;
  readonly path: string;
  readonly known: readonly string[];
}

/** Keys that every object accepts. */
export const commonKeys = ['id', 'was', 'lifecycle'] as const;

interface Standing {
  readonly kinds: readonly Kind[];
  readonly path: string;
  /** The next word may be the key of an object. */
  readonly keyMayFollow: boolean;
  /** The fields in one mapping: `styling.`. */
  readonly group?: string;
}

/** Undefined if not even the first word is a top-level key. */
export function walk(registry: Registry, written: string): ManifestSpot | undefined {
  const isAddress = written.includes('/');
  const [first = '', ...rest] = written.split(isAddress ? '/' : '.').filter((word) => word !== '');
  const { root } = registry;
  if (first === root.name) return follow(registry, [root], { words: rest, path: first, isAddress });
  const start = registry.at(root.name, first);
  if (start.length === 0) return undefined;
  return walkOn(registry, standingIn(start, first), { words: rest, isAddress });
}

export function follow(
  registry: Registry,
  kinds: readonly Kind[],
  { words, path, isAddress = false }: Words & { readonly path: string },
): ManifestSpot {
  return walkOn(registry, { kinds, path, keyMayFollow: false }, { words, isAddress });
}

interface Words {
  readonly words: readonly string[];
  readonly isAddress?: boolean;
}

function walkOn(registry: Registry, start: Standing, { words, isAddress = false }: Words): ManifestSpot {
  let standing = start;
  for (const [at, word] of words.entries()) {
    const { kinds, path, keyMayFollow } = standing;
    const rest = words.slice(at + 1);
    if (keyMayFollow && isAddress) {
      standing = { ...standing, keyMayFollow: false };
      continue;
    }
    const inside = kinds.flatMap((kind) => (kind === registry.root ? [] : registry.at(kind.name, word)));
    const name = `${standing.group ?? ''}${word}`;
    const fields = kinds.filter((kind) => Object.hasOwn(kind.fields, name) && kind.manifest.whole !== name);
    const groups = kinds.filter((kind) => fieldsOf(kind).some((one) => one.startsWith(`${name}.`)));
    // A word may name a collection and a field: the collection takes precedence.
    if (inside.length > 0) standing = standingIn(inside, `${path}.${word}`);
    else if (fields.length > 0) return fieldSpot(fields, name, { rest, path });
    else if (groups.length > 0) standing = { kinds: groups, path, keyMayFollow: false, group: `${name}.` };
    else if (isCommon(word)) return { type: 'common', kind: kinds[0] ?? registry.root, name: word, rest };
    else if (keyMayFollow && rest.length > 0) standing = { ...standing, keyMayFollow: false };
    else return { type: 'unknown', word, path, known: knownIn(registry, kinds) };
  }
  return { type: 'kinds', kinds: standing.kinds, path: standing.path };
}

function standingIn(
  places: readonly { readonly kind: Kind; readonly place: { readonly shape: string } }[],
  path: string,
): Standing {
  const kinds = [...new Set(places.map(({ kind }) => kind))];
  return { kinds, path, keyMayFollow: places.some(({ place }) => place.shape === 'map') };
}

/** A marked kind shares its place with a plain one; the plain one is meant. */
function fieldSpot(
  found: readonly Kind[],
  name: string,
  { rest, path }: { readonly rest: readonly string[]; readonly path: string },
): FieldSpot | UnknownSpot {
  const kind = found.find(({ manifest: { marker } }) => marker === undefined) ?? found[0];
  if (kind === undefined) return { type: 'unknown', word: name, path, known: [] };
  const others = found.filter((one) => one !== kind);
  return { type: 'field', kind, others, name, rest, path: `${path}.${name}` };
}

function isCommon(word: string): boolean {
  return (commonKeys as readonly string[]).includes(word);
}

function knownIn(registry: Registry, kinds: readonly Kind[]): readonly string[] {
  const own = kinds.flatMap((kind) => [
    ...fieldsOf(kind),
    ...(kind === registry.root ? [] : registry.collectionsOf(kind.name)),
  ]);
  return [...new Set([...own, ...commonKeys])];
}

/** Only fields that have a name in manifests. */
export function fieldsOf(kind: Kind): readonly string[] {
  return Object.keys(kind.fields).filter((name) => kind.manifest.whole !== name);
}

/** From the top of a document: `sites.sections.spaces`. */
export function pathOfKind(registry: Registry, kind: Kind): string {
  const [place] = kind.manifest.places;
  if (place === undefined) return kind.name;
  if (place.parent === registry.root.name) return place.key;
  return `${pathOfKind(registry, registry.byName(place.parent))}.${place.key}`;
}

/**
 * Merges one overlay over one organization: mappings merge, null removes a key, and other values replace. An object that exists only
 * in the overlay needs `new: true`, so that a mistyped key is an error.
 */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { inside } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import { entryOf, isBroken, type Located, type LocatedEntry, type LocatedMap } from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { chooseKind } from '../build/build-tree.ts';
import { withArticle } from '../build/issue-text.ts';
import { addKey, newKey } from '../files/paths.ts';

export interface OverlayRules {
  readonly registry: Registry;
  readonly problems: Problems;
  /** Addresses of new objects in other overlays that may be merged too. */
  readonly newElsewhere?: ReadonlySet<string>;
  /** Problems of the manifests, if collected elsewhere. */
  readonly found?: Problems;
  /** True for overlays of a base, which may predate `new: true`. */
  readonly isBase?: boolean;
  /** Name of the template, for overrides next to `use`; absent for an overlay. */
  readonly template?: string;
}

/** Addresses of entries with `new: true`. */
export function newIn(map: LocatedMap, path = ''): readonly string[] {
  const own = entryOf(map, newKey) === undefined ? [] : [path];
  const below = map.entries.flatMap(({ key, value }) =>
    value.type === 'map' ? newIn(value, path === '' ? key : `${path}/${key}`) : [],
  );
  return [...own, ...below];
}

export interface ObjectPlace {
  readonly kind: Kind;
  readonly address: string;
  /** True for a new object, whose children do not need `new: true`. */
  readonly isNew: boolean;
}

interface OverlayCollection {
  readonly kinds: readonly Kind[];
  readonly parent: ObjectPlace;
  readonly name: string;
}

export class OverlayMerge {
  readonly #rules: OverlayRules;
  /** Addresses that an overlay created, known to the overlays after it. */
  readonly #made = new Set<string>();
  /** Lines that leave out an object, by its address. */
  readonly omitted = new Map<string, SourceRange>();
  hasRefused = false;

  constructor(rules: OverlayRules) {
    this.#rules = rules;
  }

  merge(base: LocatedMap, overlay: LocatedMap): LocatedMap {
    const { root } = this.#rules.registry;
    return this.mergeObject(base, overlay, { kind: root, address: rootAddress, isNew: false });
  }

  mergeObject(base: LocatedMap | undefined, overlay: LocatedMap, place: ObjectPlace): LocatedMap {
    const { registry } = this.#rules;
    const collections = registry.collectionsOf(place.kind.name);
    return merged(base, overlay, (entry, before) => {
      const { key, value } = entry;
      this.#remarkOnNull(entry, place);
      if (place.kind === registry.root && key === 'organization' && value.type === 'map')
        for (const field of value.entries) this.#remarkOnNull(field, place);
      const places = collections.includes(key) ? registry.at(place.kind.name, key) : [];
      if (value.type !== 'map' || places.length === 0 || places[0]?.place.shape === 'single')
        return plain(entry, before);
      const kinds = places.map(({ kind }) => kind);
      const own = before?.value.type === 'map' ? before.value : undefined;
      return {
        ...(before ?? entry),
        value: this.#collection(own, value, { kinds, parent: place, name: key }),
      };
    });
  }

  #collection(base: LocatedMap | undefined, overlay: LocatedMap, place: OverlayCollection): LocatedMap {
    const { parent, name } = place;
    return merged(base, overlay, (entry, before) => {
      const { value } = entry;
      const kind = chooseKind(place.kinds, before?.value ?? value) ?? parent.kind;
      const address = inside(parent.address, name, entry.key);
      if (before !== undefined && isNull(value)) this.omitted.set(address, entry.keyAt);
      else this.omitted.delete(address);
      // A value that is not an entry is reported later.
      if (value.type !== 'map' && !isNull(value)) return plain(entry, before);
      const isNew = parent.isNew || (before === undefined && this.#isNew(entry, { kind, address }));
      if (before === undefined && !isNew && !this.#isKnown(address, kind)) {
        this.#refuse(entry, { kind, address }, base);
        return undefined;
      }
      if (before !== undefined) this.#refuseNew(entry, address);
      if (value.type !== 'map' || kind.manifest.whole !== undefined) return plain(entry, before);
      const own = before?.value.type === 'map' ? before.value : undefined;
      const rest = { ...value, entries: value.entries.filter(({ key }) => key !== newKey) };
      return { ...(before ?? entry), value: this.mergeObject(own, rest, { kind, address, isNew }) };
    });
  }

  #isNew({ value }: LocatedEntry, { kind, address }: Omit<ObjectPlace, 'isNew'>): boolean {
    const said = value.type === 'map' ? entryOf(value, newKey)?.value : undefined;
    if (said === undefined || isBroken(said)) return said !== undefined;
    this.#made.add(address);
    if (said.type !== 'scalar' || said.value !== true) {
      const suggestion = `write ${newKey}: true, or remove the line`;
      const message = `${newKey} of ${withArticle(kind.noun)} must be true`;
      this.#rules.problems.error('value', message, said.at, { address, suggestion });
    }
    return true;
  }

  #isKnown(address: string, { name }: Kind): boolean {
    const { isBase, newElsewhere, found, problems } = this.#rules;
    return isBase === true || newElsewhere?.has(address) === true || (found ?? problems).hasLost(name);
  }

  #refuse(
    entry: LocatedEntry,
    { kind, address }: Omit<ObjectPlace, 'isNew'>,
    base: LocatedMap | undefined,
  ): void {
    const { problems, template } = this.#rules;
    const { key, keyAt, value } = entry;
    const near = nearest(key, base?.entries.map((one) => one.key) ?? []);
    const isRemoved = isNull(value);
    const other = isRemoved
      ? 'remove the line if there is nothing to leave out'
      : `add ${newKey}: true to the entry if it exists only ${template === undefined ? 'with this overlay' : 'here'}`;
    const message = `${kind.noun} ${JSON.stringify(key)} is not in ${this.#below()}`;
    problems.error(template === undefined ? 'overlay' : 'template', message, keyAt, {
      address,
      suggestion: near === undefined ? other : `did you mean ${near}? Otherwise, ${other}`,
    });
    this.hasRefused = true;
  }

  #refuseNew({ value }: LocatedEntry, address: string): void {
    const said = value.type === 'map' ? entryOf(value, newKey) : undefined;
    if (said === undefined || this.#made.has(address)) return;
    const { problems, template } = this.#rules;
    const code = template === undefined ? 'overlay' : 'template';
    problems.error(code, `${address} already exists in ${this.#below()}`, said.keyAt, {
      address,
      suggestion: `remove ${newKey}, or give the new object another key`,
    });
  }

  #below(): string {
    const { template } = this.#rules;
    return template === undefined ? 'the manifests' : `the template ${template}`;
  }

  #remarkOnNull({ key, value }: LocatedEntry, { kind, address }: ObjectPlace): void {
    if (!isNull(value) || kind.fields[key]?.nullable === undefined || this.#rules.isBase === true) return;
    const where = this.#rules.template === undefined ? 'in an overlay' : 'next to use';
    this.#rules.problems.hint('overlay', `null ${where} leaves ${key} unmanaged`, value.at, {
      address,
      suggestion: `to clear the value, write ${key}: \${clear}`,
    });
  }
}

/** Merges entries. If `made` returns undefined, the key is unchanged; null removes it. */
function merged(
  base: LocatedMap | undefined,
  overlay: LocatedMap,
  made: (entry: LocatedEntry, before: LocatedEntry | undefined) => LocatedEntry | undefined,
): LocatedMap {
  const entries = new Map((base ?? { entries: [] }).entries.map((entry) => [entry.key, entry]));
  for (const entry of overlay.entries) {
    const after = made(entry, entries.get(entry.key));
    if (after === undefined) continue;
    if (isNull(after.value)) entries.delete(entry.key);
    else entries.set(entry.key, after);
  }
  return { ...(base ?? overlay), entries: [...entries.values()] };
}

function plain(entry: LocatedEntry, before: LocatedEntry | undefined): LocatedEntry {
  const { value } = entry;
  if (value.type !== 'map') return entry;
  const base = before?.value.type === 'map' ? before.value : undefined;
  // If `add` was the only key, removes the list too: an empty mapping would be an empty exact list.
  const added = entryOf(value, addKey)?.value;
  const only = base?.entries.length === 1 ? base.entries[0] : undefined;
  if (added !== undefined && isNull(added) && only?.key === addKey && only.value.type !== 'scalar')
    if (value.entries.every((one) => isNull(one.value))) return { ...entry, value: added };
  const own = base === undefined ? entry : (before ?? entry);
  return { ...own, value: merged(base, value, plain) };
}

/** Excludes `${clear}`, which clears a value. */
function isNull(value: Located): boolean {
  return value.type === 'scalar' && value.value === null && value.interpolated !== true && !isBroken(value);
}

/**
 * Access that ends. Takes `until` out of entries, and takes out the entries whose last day is over: to all later stages, they were
 * removed. Example, on 2027-02-01:
 *
 *     { ada: owner, bob: { role: member, until: 2027-01-31 } }   →   { ada: owner }
 */
import type { Kind } from '../../kinds/kind.ts';
import { canEnd } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import { inside } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { dayOf, type Ending, endingSoon, entryName } from '../../tree/endings.ts';
import { entryOf, isBroken, type Located, type LocatedEntry, type LocatedMap } from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { addKey, untilKey } from '../files/paths.ts';
import type { MergedOrganization } from '../merge/merge.ts';
import { chooseKind } from './build-tree.ts';
import { reportUnknownKey } from './suggestion.ts';

interface EndingOptions {
  readonly registry: Registry;
  readonly problems: Problems;
  /** Unit: milliseconds. If absent, nothing has ended. */
  readonly now?: number | undefined;
}

export function withoutEnded(
  organization: MergedOrganization,
  { registry, problems, now }: EndingOptions,
): MergedOrganization {
  const day = now === undefined ? '' : dayOf(now);
  const cut = new EndedCut(registry, problems, day);
  const content = cut.object(registry.root, organization.content, rootAddress);
  if (cut.entries.length === 0 && content === organization.content) return organization;
  return { ...organization, content, endings: { day, entries: cut.entries } };
}

class EndedCut {
  readonly #registry: Registry;
  readonly #problems: Problems;
  readonly #day: string;
  readonly entries: Ending[] = [];

  constructor(registry: Registry, problems: Problems, day: string) {
    this.#registry = registry;
    this.#problems = problems;
    this.#day = day;
  }

  /** Returns the same mapping if nothing in it ends. */
  object(kind: Kind, map: LocatedMap, address: string): LocatedMap {
    return mapped(map, (entry) => {
      const { key, value } = entry;
      if (value.type !== 'map') return entry;
      const places = this.#registry.at(kind.name, key);
      if (places[0] === undefined) return { ...entry, value: this.#field(kind, key, value, address) };
      const own = inside(address, key);
      if (places[0].place.shape === 'single')
        return { ...entry, value: this.object(places[0].kind, value, own) };
      const kinds = places.map((place) => place.kind);
      return { ...entry, value: mapped(value, (child) => this.#child(kinds, child, inside(own, child.key))) };
    });
  }

  #child(kinds: readonly Kind[], entry: LocatedEntry, address: string): LocatedEntry | undefined {
    const { value } = entry;
    const kind = chooseKind(kinds, value);
    if (kind === undefined || value.type !== 'map') return entry;
    const until = kind.manifest.ends === true ? entryOf(value, untilKey) : undefined;
    if (until !== undefined && this.#isOver(until, { address, at: entry.keyAt })) return undefined;
    const rest = until === undefined ? value : mapped(value, (one) => (one === until ? undefined : one));
    return { ...entry, value: this.object(kind, rest, address) };
  }

  /** `path`: dotted name of the field, or of a mapping of fields. */
  #field(kind: Kind, path: string, map: LocatedMap, address: string): LocatedMap {
    const field = kind.fields[path];
    if (field === undefined)
      return mapped(map, (entry) =>
        entry.value.type === 'map'
          ? { ...entry, value: this.#field(kind, `${path}.${entry.key}`, entry.value, address) }
          : entry,
      );
    if (!canEnd(field)) return map;
    const one = { field: path, valueKey: field.valueKey, address };
    const added: Located | undefined = entryOf(map, addKey)?.value;
    if (added?.type !== 'map' || entryOf(added, field.valueKey) !== undefined)
      return mapped(map, (entry) => this.#entry(one, entry));
    const inner = mapped(added, (entry) => this.#entry(one, entry));
    return mapped(map, (entry) => (entry.value === added ? { ...entry, value: inner } : entry));
  }

  #entry({ field, valueKey, address }: EndingField, entry: LocatedEntry): LocatedEntry | undefined {
    const { key, keyAt, value } = entry;
    if (value.type !== 'map') return entry;
    const known = [valueKey, untilKey];
    const [own, until] = known.map((name) => entryOf(value, name));
    const unknown = value.entries.find((one) => !known.includes(one.key));
    const owner = `${field}.${key}`;
    if (unknown !== undefined)
      reportUnknownKey({ entry: unknown, noun: 'key', owner, known, address }, this.#problems);
    else if (own === undefined || until === undefined) {
      const suggestion = `write ${key}: { ${valueKey}: …, until: 2027-01-31 }, or the ${valueKey} alone`;
      const missing = own === undefined ? valueKey : untilKey;
      this.#problems.error('value', `${owner} has no ${missing}`, value.at, { address, suggestion });
    } else if (!this.#isOver(until, { address, field, key, at: keyAt }))
      return { ...entry, value: own.value };
    return undefined;
  }

  #isOver({ value }: LocatedEntry, ending: Omit<Ending, 'until' | 'isOver'>): boolean {
    if (isBroken(value)) return false;
    const { address, field } = ending;
    const until = value.type === 'scalar' ? value.value : undefined;
    if (typeof until !== 'string' || !isDay(until)) {
      const what = field === undefined ? untilKey : `${untilKey} of ${entryName(ending)}`;
      this.#problems.error('value', `${what} is not a day`, value.at, {
        address,
        suggestion: 'write the last day of the access (UTC) as year-month-day, for example 2027-01-31',
      });
      return false;
    }
    const isOver = until < this.#day;
    this.entries.push({ ...ending, until, isOver });
    return isOver;
  }
}

interface EndingField {
  readonly field: string;
  readonly valueKey: string;
  readonly address: string;
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Leaves out entries without a result; returns the same mapping if all are the same. */
function mapped(map: LocatedMap, change: (entry: LocatedEntry) => LocatedEntry | undefined): LocatedMap {
  const entries = map.entries.map((entry) => {
    const next = change(entry);
    return next?.value === entry.value ? entry : next;
  });
  if (entries.every((entry, at) => entry === map.entries[at])) return map;
  return { ...map, entries: entries.filter((entry) => entry !== undefined) };
}

export function warnOfEndings(tree: DesiredTree, problems: Problems): void {
  for (const { address, at, isOver, text } of endingSoon(tree)) {
    const suggestion = isOver ? 'remove the entry, or write a later day' : 'write a later day to extend it';
    problems.warn('ending', isOver ? `${text}: it counts as removed` : text, at, { address, suggestion });
  }
}

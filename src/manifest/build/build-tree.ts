/** Builds the desired tree from located values, following the kinds' keys, fields and nesting. */

import * as z from 'zod';
import type { Kind } from '../../kinds/kind.ts';
import type { Value } from '../../kinds/parts/payload.ts';
import { kindWith, type Registry } from '../../kinds/registry.ts';
import { inside, isPathKey, keyOf, keySkeleton, parentOf } from '../../tree/addressing.ts';
import { type DesiredDraft, type DesiredNode, rootAddress } from '../../tree/desired.ts';
import { DesiredTree } from '../../tree/desired-tree.ts';
import { formerNamesSchema, ignorableSchema, lifecycleSchema } from '../../tree/lifecycle.ts';
import { type Settings, settingsSchemaOf } from '../../tree/settings.ts';
import { defined } from '../../util/defined.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import { remembered } from '../../util/remembered.ts';
import {
  describe,
  entryOf,
  findScalar,
  isBroken,
  type Located,
  type LocatedEntry,
  type LocatedMap,
  plainOf,
  scalarText,
} from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { useKeys } from '../files/paths.ts';
import type { MergedOrganization } from '../merge/merge.ts';
import { metaOf } from '../schema/schema-part.ts';
import { addedIn, readField } from './field-value.ts';
import { describeIssue, withArticle } from './issue-text.ts';
import { readValue } from './read-value.ts';
import { repaired } from './repair.ts';
import { repeatsIn } from './repeats.ts';
import { exampleField, inYaml, reportUnknownKey, suggestSpace } from './suggestion.ts';

const idSchema = z.string().min(1).meta({ help: 'write the id of an existing object, or remove the line' });

const commonKeys = ['id', 'was', 'lifecycle'];
const documentKeys = ['octavo', 'organization', 'settings', '$schema'];

export function buildTree(merged: MergedOrganization, registry: Registry, problems: Problems): DesiredTree {
  return new TreeBuilder(merged, registry, problems).build();
}

interface NodePlace {
  readonly address: string;
  readonly key: string;
  readonly parent?: string;
  readonly collection: string;
  readonly index: number;
  readonly at: SourceRange;
  readonly declares?: readonly string[];
}

interface Owner {
  readonly name: string;
  readonly address: string;
  readonly keyField?: string | undefined;
}

const keysIn = remembered((registry: Registry) =>
  remembered((kind: Kind) => {
    const { key } = kind.manifest;
    const own = keysBelow(kind).filter((name) => key?.is !== 'field' || key.field !== name);
    return new Set([...own, ...registry.collectionsOf(kind.name), ...commonKeys]);
  }),
);

class TreeBuilder {
  readonly #merged: MergedOrganization;
  readonly #registry: Registry;
  readonly #problems: Problems;
  readonly #nodes = new Map<string, DesiredNode>();

  constructor(merged: MergedOrganization, registry: Registry, problems: Problems) {
    this.#merged = merged;
    this.#registry = registry;
    this.#problems = problems;
  }

  build(): DesiredTree {
    const { content, label, id, match, omitted, endings } = this.#merged;
    const { root } = this.#registry;
    const own = entryOf(content, 'organization');
    const collections = this.#registry.collectionsOf(root.name);
    this.#refuseUnknownKeys(content, new Set([...documentKeys, ...collections]), {
      name: 'the document',
      address: rootAddress,
    });
    const fields: LocatedMap =
      own?.value.type === 'map' ? own.value : { type: 'map', entries: [], at: content.at };
    this.#refuseUnknownKeys(fields, new Set(['id', 'match', 'lifecycle', ...Object.keys(root.fields)]), {
      name: 'the organization',
      address: rootAddress,
    });
    const slot = {
      address: rootAddress,
      key: '',
      collection: '',
      index: 0,
      at: own?.keyAt ?? content.at,
    };
    this.#addNode(root, fields, { ...slot, declares: declared(content, collections) });
    this.#addChildren(root, content, rootAddress);
    return new DesiredTree({
      label,
      ...defined({ id, match, omitted, endings }),
      settings: readManifestSettings(content, this.#registry, this.#problems),
      nodes: this.#nodes,
    });
  }

  #addNode(kind: Kind, map: LocatedMap, slot: NodePlace): void {
    const { address, key, parent, collection, index, declares = none, at } = slot;
    const place = { kind: kind.name, address, key, collection, index };
    const isRoot = kind === this.#registry.root;
    const source = { map, address, problems: this.#problems };
    const id = isRoot ? undefined : readPart('id', () => idSchema, source);
    const { fields, fieldAt, inputs, additive } = this.#readFields(kind, map, slot);
    const idAt = entryOf(map, 'id')?.value.at;
    if (idAt !== undefined) fieldAt.id = idAt;
    const { was, isNew } = isRoot ? neverNamed : readFormerNames(source);
    const lifecycle = readPart('lifecycle', () => lifecycleSchemaOf(kind), source) ?? defaultLifecycle;
    const node: DesiredDraft = { ...place, was, lifecycle, fields, declares, at, fieldAt };
    // Assigned instead of spread: there are many nodes, and spreading takes several times as long.
    if (parent !== undefined) node.parent = parent;
    if (id !== undefined) node.id = id;
    if (isNew !== undefined) node.isNew = isNew;
    if (Object.keys(inputs).length > 0) node.inputs = inputs;
    if (additive.length > 0) node.additive = additive;
    this.#nodes.set(address, node);
  }

  #readFields(kind: Kind, map: LocatedMap, { key, address }: NodePlace) {
    const fields: Record<string, Value> = {};
    const fieldAt: Record<string, SourceRange> = {};
    const inputs: Record<string, string> = {};
    const additive: string[] = [];
    const keyField = kind.manifest.key?.is === 'field' ? kind.manifest.key.field : undefined;
    if (keyField !== undefined) fields[keyField] = key;
    for (const name in kind.fields) {
      const field = kind.fields[name];
      const entry = entryOf(map, name);
      if (field === undefined || entry === undefined || name === keyField) continue;
      const added = addedIn(field, entry.value);
      addPlaces(fieldAt, name, added ?? entry.value);
      const isMark = entry.value.type === 'scalar' && entry.value.value === true;
      const help = isMark && field.type === 'reference' ? this.#namedAbove(name, address) : undefined;
      const source = {
        name: kind.manifest.whole === name ? key : name,
        field,
        address,
        ...defined({ help }),
      };
      const value = readField(source, entry.value, this.#problems);
      if (value === undefined) continue;
      fields[name] = value;
      fieldAt[name] = placeOf(value, added ?? entry.value);
      if (added !== undefined) additive.push(name);
      const input = findScalar(entry.value, ({ fromInput }) => fromInput !== undefined)?.fromInput;
      if (input !== undefined) inputs[name] = input;
    }
    return { fields, fieldAt, inputs, additive };
  }

  #addChildren(kind: Kind, map: LocatedMap, address: string): void {
    for (const collection of this.#registry.collectionsOf(kind.name)) {
      const entry = entryOf(map, collection);
      if (entry === undefined) continue;
      const places = this.#registry.at(kind.name, collection);
      if (places[0]?.place.shape === 'single') {
        const slot = { key: collection, parent: address, collection, index: 0, at: entry.keyAt };
        this.#addObject(places[0].kind, entry.value, { ...slot, address: inside(address, collection) });
        continue;
      }
      const kinds = places.map((place) => place.kind);
      // `${clear}` empties the collection; overlays need it because an empty mapping would be merged.
      if (entry.value.type === 'scalar' && entry.value.value === null && entry.value.interpolated === true)
        continue;
      if (entry.value.type !== 'map') {
        this.#lose(kinds);
        this.#refuseCollection(entry, kinds, address);
        continue;
      }
      if (places.every(({ kind: { manifest } }) => manifest.key === undefined))
        this.#refuseLookalikes(entry.value.entries, address);
      entry.value.entries.forEach((child, index) => {
        const chosen = chooseKind(kinds, child.value);
        if (chosen === undefined || !isUsableKey(chosen, child, { address, problems: this.#problems })) {
          this.#lose(kinds);
          return;
        }
        const own = inside(address, collection, child.key);
        const slot = {
          address: own,
          key: child.key,
          parent: address,
          collection,
          index,
          at: child.keyAt,
        };
        this.#addObject(chosen, child.value, slot);
      });
    }
  }

  #refuseLookalikes(entries: readonly LocatedEntry[], address: string): void {
    if (entries.every(({ key }) => /^[ -~]*$/.test(key))) return;
    for (const [{ key, keyAt }, first] of repeatsIn(entries, ({ key }) => keySkeleton(key)))
      this.#problems.error('key', `${JSON.stringify(key)} looks like ${JSON.stringify(first.key)}`, keyAt, {
        address,
        suggestion: 'give one of the two another key',
        related: [{ message: 'the other one', at: first.keyAt }],
      });
  }

  #refuseCollection({ key, value }: LocatedEntry, kinds: readonly Kind[], address: string): void {
    if (isBroken(value)) return;
    const nouns = kinds.map(({ noun }) => `${noun}s`).join(' or ');
    const isNull = value.type === 'scalar' && value.value === null;
    const message = `${key} must be a mapping from keys to ${nouns}, is ${describe(value)}`;
    this.#problems.error('value', message, value.at, {
      address,
      suggestion: isNull
        ? `write ${key}: {} for none, or remove the line to leave them unmanaged`
        : `write ${key}: { some-key: { … } }`,
    });
  }

  #addObject(kind: Kind, value: Located, slot: NodePlace): void {
    const { address } = slot;
    if (isBroken(value)) {
      this.#lose([kind]);
      return;
    }
    if (kind.manifest.whole !== undefined) {
      const wrapped: LocatedEntry = { key: kind.manifest.whole, keyAt: slot.at, value };
      this.#addNode(kind, { type: 'map', entries: [wrapped], at: value.at }, slot);
      return;
    }
    if (value.type !== 'map') {
      this.#lose([kind]);
      const isNull = value.type === 'scalar' && value.value === null;
      this.#problems.error(
        isNull ? 'null' : 'value',
        isNull
          ? `${withArticle(kind.noun)} cannot be null`
          : `${withArticle(kind.noun)} must be a mapping, is ${describe(value)}`,
        value.at,
        {
          address,
          suggestion: isNull
            ? `write ${slot.key}: {} to declare it without fields, or remove it`
            : (suggestSpace(value) ??
              this.#namedAbove(slot.key, address, plainOf(value)) ??
              `for example ${slot.key}: { ${exampleField(kind)} }`),
        },
      );
      return;
    }
    const collections = this.#registry.collectionsOf(kind.name);
    const keyField = kind.manifest.key?.is === 'field' ? kind.manifest.key.field : undefined;
    if (this.#isTooHigh(kind, value, slot)) return;
    this.#refuseUnknownKeys(value, keysIn(this.#registry)(kind), {
      name: withArticle(kind.noun),
      address,
      keyField,
    });
    const own = isGrouped(kind)
      ? { ...value, entries: value.entries.flatMap((entry) => this.#flat(kind, entry, address)) }
      : value;
    this.#addNode(kind, own, { ...slot, declares: declared(own, collections) });
    this.#addChildren(kind, own, address);
  }

  /** Example: `styling: { theme: clean }` is the field `styling.theme`. */
  #flat(kind: Kind, entry: LocatedEntry, address: string, above = ''): readonly LocatedEntry[] {
    const { key, value } = entry;
    const path = `${above}${key}`;
    const inside = keysBelow(kind, `${path}.`);
    if (inside.length === 0 || key.includes('.')) return key.includes('.') ? [] : [{ ...entry, key: path }];
    if (isBroken(value)) return [];
    if (value.type !== 'map') {
      this.#problems.error('value', `${path} must be a mapping, is ${describe(value)}`, value.at, {
        address,
        suggestion: 'write the parts that are managed below it, or remove the line',
      });
      return [];
    }
    this.#refuseUnknownKeys(value, new Set(inside), { name: path, address });
    return value.entries.flatMap((inner) => this.#flat(kind, inner, address, `${path}.`));
  }

  /** Detects a key of an object, such as `members:`, that is indented like its owner. */
  #isTooHigh(kind: Kind, value: LocatedMap, { key, address, at }: NodePlace): boolean {
    const known = keysIn(this.#registry)(kind);
    const isOdd = ({ key: name }: LocatedEntry) => !known.has(name);
    if (!known.has(key) || value.entries.length === 0 || !value.entries.every(isOdd)) return false;
    this.#lose([kind]);
    this.#problems.error(
      'unknown-key',
      `${key} is indented as ${withArticle(kind.noun)}, but is a key of one`,
      at,
      { address, suggestion: `indent it below the ${kind.noun} that it belongs to` },
    );
    return true;
  }

  /** Help for an object that is marked itself, such as `default: true`: the object above names the one that it means. */
  #namedAbove(name: string, address: string, value: unknown = keyOf(address)): string | undefined {
    for (let at = parentOf(address); at !== rootAddress; at = parentOf(at)) {
      const node = this.#nodes.get(at);
      const { fields, noun } = this.#registry.byName(node?.kind ?? this.#registry.root.name);
      const field = fields[name];
      if (field?.type === 'reference' && field.within === 'descendants')
        return `write it at ${at}: the ${noun} names its ${name}, with ${name}: ${inYaml(value)}`;
    }
    return undefined;
  }

  /** Marks objects of these kinds, and their children, as possibly missing. */
  #lose(kinds: readonly Kind[]): void {
    for (const { name } of kinds) {
      if (this.#problems.hasLost(name)) continue;
      this.#problems.lose(name);
      const inside = this.#registry.collectionsOf(name).flatMap((key) => this.#registry.at(name, key));
      this.#lose(inside.map(({ kind }) => kind));
    }
  }

  #refuseUnknownKeys(map: LocatedMap, keys: ReadonlySet<string>, owner: Owner): void {
    const { name, address, keyField } = owner;
    for (const entry of map.entries) {
      const { key } = entry;
      if (keys.has(key) || (name === 'the document' && key.startsWith('x-'))) continue;
      const known = [...keys];
      const near = nearest(key, known);
      this.#lose(
        this.#registry.kinds.filter(({ manifest: { places } }) => places.some((place) => place.key === near)),
      );
      const suggestion =
        key === keyField
          ? `remove it: the key above is the ${keyField}`
          : key === 'new' && address !== rootAddress
            ? 'remove it: only overlays mark new objects'
            : useKeys.some((one) => one === key)
              ? 'add use: with the name of a template'
              : this.#namedAbove(key, address ?? rootAddress);
      reportUnknownKey({ entry, noun: 'key', owner: name, known, address, suggestion }, this.#problems);
    }
  }
}

/** True if some fields are inside mappings. */
const isGrouped = remembered(({ fields }: Kind) => Object.keys(fields).some((name) => name.includes('.')));

/** Example: `styling.theme` is the key `theme` below `styling.`. */
function keysBelow({ fields }: Kind, above = ''): readonly string[] {
  const inside = Object.keys(fields).filter((name) => name.startsWith(above));
  return [...new Set(inside.map((name) => name.slice(above.length).replace(/\..*/, '')))];
}

export function chooseKind(kinds: readonly Kind[], value: Located): Kind | undefined {
  return kindWith(kinds, (key) => value.type === 'map' && entryOf(value, key) !== undefined);
}

const none: readonly string[] = [];

function declared(map: LocatedMap, collections: readonly string[]): readonly string[] {
  const found = collections.filter((key) => entryOf(map, key) !== undefined);
  // Most objects have none; they share one list.
  return found.length === 0 ? none : found;
}

function addPlaces(places: Record<string, SourceRange>, name: string, value: Located): void {
  places[name] = value.at;
  if (value.type !== 'map') return;
  for (const { key, keyAt } of value.entries) places[`${name}.${key}`] = keyAt;
}

function placeOf(value: Value, located: Located): SourceRange {
  if (located.type !== 'map' || typeof value !== 'string') return located.at;
  return located.entries.find((entry) => scalarText(entry.value) === value)?.value.at ?? located.at;
}

/** Reports an unusable key. `address`: address of the parent. */
function isUsableKey(
  kind: Kind,
  { key, keyAt }: LocatedEntry,
  { address, problems }: { readonly address: string; readonly problems: Problems },
): boolean {
  if (key === rootAddress) {
    const message = `reserved key ${JSON.stringify(key)}: it is the address of the organization itself`;
    problems.error('key', message, keyAt, { address, suggestion: 'rename it' });
    return false;
  }
  if (key === '' || (key.includes('/') && !isPathKey(kind)) || /\p{Cc}/u.test(key)) {
    const message = `invalid key ${JSON.stringify(key)}: a key is not empty and has no / or control characters`;
    problems.error('key', message, keyAt, {
      address,
      suggestion: key === '' ? 'write a name' : `for example ${key.replace(/[/\p{Cc}]+/gu, '-')}`,
    });
    return false;
  }
  const keySchema = kind.manifest.keySchema?.();
  const checked = keySchema?.safeParse(key);
  if (checked === undefined || checked.success) return true;
  for (const issue of checked.error.issues) {
    const { message } = describeIssue(`the key of ${withArticle(kind.noun)}`, issue, key);
    const near = keySchema === undefined ? undefined : repaired(keySchema, key);
    problems.error('key', message, keyAt, {
      address,
      suggestion: near === undefined ? metaOf(keySchema, 'help') : `did you mean ${near}?`,
    });
  }
  return false;
}

export function readManifestSettings(map: LocatedMap, registry: Registry, problems: Problems): Settings {
  const read = readPart('settings', () => settingsSchemaOf(registry), { map, problems });
  return read ?? defaultSettings(registry);
}

const defaultSettings = remembered((registry: Registry) => settingsSchemaOf(registry).parse({}));

interface ObjectSource {
  readonly map: LocatedMap;
  readonly address?: string;
  readonly problems: Problems;
}

/** Undefined if absent or refused. */
function readPart<T>(name: string, schema: () => z.ZodType<T>, { map, ...where }: ObjectSource) {
  const entry = entryOf(map, name);
  return entry && readValue(schema(), entry.value, { name, ...where, secrets: 'refused' })?.value;
}

const defaultLifecycle = lifecycleSchema(z.string()).parse({});

/** Cached, because making a schema costs more than reading many values with it. */
const lifecycleSchemaOf = remembered((kind: Kind) => lifecycleSchema(ignorableSchema(kind)));

type FormerNames = Pick<DesiredNode, 'was' | 'isNew'>;

/** A single object, shared by thousands of nodes. */
const neverNamed: FormerNames = { was: [] };

/** Accepts one name or a list; an empty list declares that the object is new. */
function readFormerNames(source: ObjectSource): FormerNames {
  const was = readPart('was', () => formerNamesSchema, source);
  if (was === undefined) return neverNamed;
  return was.length === 0 ? { was, isNew: true } : { was };
}

/**
 * Converts live objects to data of manifests that declare them. Omits null that only removes, empty text, and defaults of
 * fields that were never set; reports values that a manifest cannot express.
 */

import { isListed } from '../../contract/values.ts';
import { type Field, type Reference, referenceOf } from '../../kinds/parts/field.ts';
import { mapOf, type Value } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { keyOf, parentOf } from '../../tree/addressing.ts';
import { sameField } from '../../tree/difference.ts';
import { syncedWord } from '../../tree/lifecycle.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { push } from '../../util/group.ts';
import { isRecord, sameJson } from '../../util/json.ts';
import { type Data, type DataMap, dataOf } from '../../yaml/data.ts';
import { whyUnwritable } from './unwritable.ts';

export interface LeftOutField {
  readonly address: string;
  readonly field: string;
  readonly reason: string;
}

export interface LiveDataOptions {
  readonly registry: Registry;
  readonly live: LiveTree;
  readonly addressOf: (ref: ObjectRef) => string | undefined;
  readonly references: ReferenceKeys;
  readonly isPinned: (node: LiveNode) => boolean;
  readonly childrenOf: (node: LiveNode, collection: string) => readonly LiveNode[] | undefined;
  /** Objects to write with only their id, to contain their children. */
  readonly isShell?: (node: LiveNode) => boolean;
  readonly whyOmitted?: (node: LiveNode, field: string) => string | undefined;
  /** Called for each significant value that is omitted. */
  readonly onLeftOut?: (one: LeftOutField) => void;
}

/** Undefined for an object that consists of a single value and lacks it. */
export function objectData(node: LiveNode, options: LiveDataOptions): Data | undefined {
  const kind = options.registry.byName(node.kind);
  if (kind.manifest.whole !== undefined) return fieldData(node, kind.manifest.whole, options);
  const data = new Map<string, Data>();
  const isShell = options.isShell?.(node) === true;
  const { otherWriter } = node;
  // A repository may change the title that would identify the object.
  if (isShell || otherWriter !== undefined || options.isPinned(node)) data.set('id', node.id);
  if (!isShell && otherWriter !== undefined) data.set('lifecycle', new Map([['ignore', syncedWord]]));
  if (!isShell) for (const [name, value] of fieldsData(node, options)) data.set(name, value);
  for (const [name, value] of collectionsData(node, options)) data.set(name, value);
  return data;
}

export function fieldsData(node: LiveNode, options: LiveDataOptions): DataMap {
  const kind = options.registry.byName(node.kind);
  const keyField = kind.manifest.key?.is === 'field' ? kind.manifest.key.field : undefined;
  const data = new Map<string, Data>();
  for (const name of Object.keys(kind.fields)) {
    const value = name === keyField ? undefined : fieldData(node, name, options);
    if (value !== undefined) put(data, name.split('.'), value);
  }
  return data;
}

/** A name with dots becomes nested mappings. */
function put(data: Map<string, Data>, [first = '', ...rest]: readonly string[], value: Data): void {
  if (rest.length === 0) {
    data.set(first, value);
    return;
  }
  const inner = data.get(first);
  const group = inner instanceof Map ? inner : new Map<string, Data>();
  data.set(first, group);
  put(group, rest, value);
}

export function collectionsData(node: LiveNode, options: LiveDataOptions): DataMap {
  const { registry, childrenOf } = options;
  const data = new Map<string, Data>();
  for (const collection of registry.collectionsOf(node.kind)) {
    const children = childrenOf(node, collection);
    const isSingle = registry.at(node.kind, collection)[0]?.place.shape === 'single';
    const inside =
      children === undefined ? undefined : childrenData(children, isSingle ? 'single' : 'map', options);
    const isEmpty = inside === undefined || (inside instanceof Map && inside.size === 0 && !isSingle);
    if (!isEmpty) data.set(collection, inside);
    // Without its marker, the entry would be read as another kind.
    else if (registry.byName(node.kind).manifest.marker === collection) data.set(collection, new Map());
  }
  return data;
}

function childrenData(
  children: readonly LiveNode[],
  shape: 'map' | 'single',
  options: LiveDataOptions,
): Data | undefined {
  if (shape === 'single') {
    const [only] = children;
    return only === undefined || only.initial === true ? undefined : objectData(only, options);
  }
  const entries = new Map<string, Data>();
  for (const child of children) {
    const address = options.addressOf(child);
    const data = objectData(child, options);
    if (address !== undefined && data !== undefined)
      entries.set(keyOf(address, options.registry.byName(child.kind)), data);
  }
  return entries;
}

export function fieldData(node: LiveNode, name: string, options: LiveDataOptions): Data | undefined {
  const field = options.registry.byName(node.kind).fields[name];
  const value = node.fields[name];
  if (field === undefined || field.change === 'create' || value === undefined || isRedundant(field, value))
    return undefined;
  const one: LiveField = { node, name, field };
  const omitted = options.whyOmitted?.(node, name);
  if (omitted !== undefined) return leftOut(one, omitted, options);
  switch (field.type) {
    case 'reference':
      return referenceData(one, value, options);
    case 'map':
      return mapData(one, value, options);
    case 'members':
      return membersData(one, value, options);
    default:
      return plainData(one, value, options);
  }
}

function membersData(one: LiveField, value: Value, options: LiveDataOptions): Data | undefined {
  const { registry, live, addressOf } = options;
  const kind = one.field.type === 'members' ? registry.byName(one.field.of) : undefined;
  const people = mapOf(value);
  if (kind === undefined || kind.manifest.key !== undefined || people === undefined)
    return plainData(one, value, options);
  const ids = Object.keys(people);
  const unknown = ids.filter((id) => !live.has({ kind: kind.name, id }));
  if (unknown.length > 0)
    return leftOut(one, `the service lists no ${kind.noun} ${unknown.join(', ')}`, options);
  const entries = Object.entries(people).map(([id, inner]): readonly [string, Value] => {
    const address = addressOf({ kind: kind.name, id });
    return [address === undefined ? id : keyOf(address, kind), inner];
  });
  return plainData(one, Object.fromEntries(entries), options);
}

interface LiveField {
  readonly node: LiveNode;
  readonly name: string;
  readonly field: Field;
}

/** True for a value that new objects get by default or that means "no value". An empty list of exact values means no one. */
function isRedundant(field: Field, value: Value): boolean {
  if (value === null) return field.nullable !== 'value';
  if (value === '' || (field.absent !== undefined && sameJson(value, field.absent))) return true;
  return field.type === 'map' && isRecord(value) && Object.keys(value).length === 0;
}

function leftOut({ node, name }: LiveField, reason: string, options: LiveDataOptions): undefined {
  options.onLeftOut?.({ address: options.addressOf(node) ?? node.id, field: name, reason });
}

function plainData(one: LiveField, value: Value, options: LiveDataOptions): Data | undefined {
  const { field } = one;
  const tidy = inUnixLines(field, value);
  const spelled = field.spell === undefined || tidy === null ? tidy : field.spell(tidy);
  const reason = whyUnwritable(spelled) ?? whyUnfit(field, spelled, value) ?? whyUnknown(one, value, options);
  return reason === undefined ? dataOf(spelled) : leftOut(one, reason, options);
}

/** Converts line ends to LF, which reads better, unless the field distinguishes them. */
function inUnixLines({ type, ...field }: Field, value: Value): Value {
  if (typeof value !== 'string' || !value.includes('\r') || type !== 'value') return value;
  const unix = value.replaceAll('\r\n', '\n');
  return 'same' in field && field.same?.(unix, value) === true ? unix : value;
}

function whyUnfit(field: Field, spelled: Value, live: Value): string | undefined {
  if (spelled === null) return undefined;
  const refused = whyRefused(field, spelled);
  if (refused !== undefined) return refused;
  const read = field.normalize === undefined ? spelled : field.normalize(spelled);
  return sameField(field, read, live)
    ? undefined
    : 'manifests cannot distinguish this value from another one';
}

function whyRefused(field: Field, spelled: Value): string | undefined {
  const schema = field.schema();
  if (!isListed(schema, spelled)) return 'the API does not document this value';
  return schema.safeParse(spelled).success ? undefined : 'manifests do not allow this value';
}

function whyUnknown({ field }: LiveField, value: Value, { registry }: LiveDataOptions): string | undefined {
  if (field.type !== 'members' || !isRecord(value)) return undefined;
  const { manifest, noun } = registry.byName(field.of);
  const schema = manifest.keySchema?.();
  const isNamed = Object.keys(value).every((key) => schema?.safeParse(key).success !== false);
  return isNamed ? undefined : `the service does not show the name of every ${noun}`;
}

/** Omits only the values with unsuitable names, since other names do not count. */
function mapData(one: LiveField, value: Value, options: LiveDataOptions): Data | undefined {
  const { field } = one;
  if (field.type !== 'map') return undefined;
  const data = new Map<string, Data>();
  for (const [key, inner] of Object.entries(mapOf(value) ?? {})) {
    const entry = { [key]: inner };
    const named = options.live
      .ofKind(field.keysOf)
      .find((other) => keyOf(options.addressOf(other) ?? '') === key);
    const reason =
      whyUnwritable(entry) ??
      whyUnfit(field, entry, value) ??
      (named && field.misfit?.(inner, named.fields)?.message);
    if (reason === undefined) data.set(key, dataOf(inner));
    else leftOut({ ...one, name: `${one.name}.${key}` }, reason, options);
  }
  return data.size === 0 ? undefined : data;
}

function referenceData(one: LiveField, value: Value, options: LiveDataOptions): Data | undefined {
  const { node, field } = one;
  const reference = referenceOf(field);
  if (reference === undefined || typeof value !== 'string') return value === null ? null : undefined;
  if (field.type === 'reference' && field.literal?.(value) === true) return plainData(one, value, options);
  const { live } = options;
  const home = reference.within === 'parent' ? live.parentOf(node) : node;
  const isWithin = (one: LiveNode) =>
    reference.within === 'organization' || (home !== undefined && live.ancestorsOf(one).includes(home));
  const target = reference.kinds.flatMap((kind) => live.get({ kind, id: value }) ?? []).find(isWithin);
  const from = options.addressOf(node);
  const to = target === undefined ? undefined : options.addressOf(target);
  const isNamed = to !== undefined && from !== undefined;
  const name: Value = isNamed ? options.references.nameOf(to, { from, reference }) : { id: value };
  const spelled = field.spell === undefined ? name : field.spell(name);
  const reason = whyUnwritable(spelled) ?? whyRefused(field, spelled);
  return reason === undefined ? dataOf(spelled) : leftOut(one, reason, options);
}

export class ReferenceKeys {
  readonly #byKey = new Map<string, string[]>();

  constructor(declared: Iterable<{ readonly kind: string; readonly address: string }>) {
    for (const { kind, address } of declared) push(this.#byKey, slotOf(kind, keyOf(address)), address);
  }

  /** Mirrors the resolution of references: among several objects with one key, the one directly inside the naming object. */
  nameOf(to: string, { from, reference }: { readonly from: string; readonly reference: Reference }): string {
    const key = keyOf(to);
    const prefix = `${reference.within === 'parent' ? parentOf(from) : from}/`;
    const candidates = reference.kinds
      .flatMap((kind) => this.#byKey.get(slotOf(kind, key)) ?? [])
      .filter((address) => reference.within === 'organization' || address.startsWith(prefix));
    const children = candidates.filter(
      (address) => address.startsWith(prefix) && address.slice(prefix.length).split('/').length <= 2,
    );
    const [only, other] = children.length > 0 ? children : candidates;
    return only === to && other === undefined ? key : to;
  }
}

function slotOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}

/** Edits that give declared fields their live values: where they are written, or not at all. */
import path from 'node:path';
import type { Field } from '../../kinds/field.ts';
import type { Value } from '../../kinds/payload.ts';
import { isDataList } from '../../manifest/edit/data.ts';
import { type Data, dataOf, isDataMap } from '../../manifest/emit/data.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { isRecord, sameJson } from '../../util/json.ts';
import { Secret } from '../../util/secret.ts';
import type { AcceptedTree } from './accepted-tree.ts';
import { isNoPlace, type ManifestEdits, type ManifestPlace, writtenOf } from './manifest-edits.ts';
import type { AcceptedChange } from './request.ts';

/** One field of a declared object whose live value is accepted. */
export interface AcceptedField {
  readonly tree: AcceptedTree;
  readonly node: DesiredNode;
  readonly name: string;
  readonly edits: ManifestEdits;
}

/** Adds the edits for one field, or the reason why there are none. */
export function acceptField(accepted: AcceptedField): void {
  const { tree, node, name, edits } = accepted;
  const field = tree.kindOf(node).fields[name];
  const at = node.fieldAt[name];
  if (field === undefined || at === undefined) return;
  const change = { label: tree.organization.tree.label, address: node.address, what: name, at };
  const { key } = tree.kindOf(node);
  if (key?.is === 'field' && key.field === name) {
    edits.refuse({ ...change, reason: 'it is the key of the object', help: 'rename the key by hand' });
    return;
  }
  const live = tree.liveValue(node, name);
  if ('reason' in live) {
    edits.refuse({ ...change, reason: `its live value cannot be written: ${live.reason}` });
    return;
  }
  const value = 'value' in live ? live.value : undefined;
  const declared = node.fields[name];
  const isKeyed = field.type === 'map' || field.type === 'members';
  if (isKeyed && value !== undefined && isDataMap(value) && isRecord(declared)) {
    acceptEntries(accepted, { field, declared: declared as Readonly<Record<string, Value>>, value, change });
  } else acceptValue(accepted, { field, declared, value, change });
}

interface FieldToAccept {
  readonly field: Field;
  readonly declared: Value | undefined;
  /** Undefined where the field leaves the manifest. */
  readonly value: Data | undefined;
  readonly change: AcceptedChange;
}

function acceptValue(accepted: AcceptedField, { field, declared, value, change }: FieldToAccept): void {
  const { edits } = accepted;
  const place = fieldPlace(accepted, change);
  if (place === undefined) return;
  const written = edits.writtenAt(place);
  if (typeof written === 'string' && hasTemplate(written)) {
    acceptTemplate(edits, { written, declared, value, change, place });
    return;
  }
  if (value === undefined) {
    edits.add(place, { type: 'remove', path: place.path }, change);
    return;
  }
  const kept = withKeptItems({ field, declared, value, written });
  if (kept === undefined) {
    refuseTemplate(edits, change, 'parts of it are filled in');
    return;
  }
  edits.add(place, { type: 'set', path: place.path, value: kept }, change);
}

interface KeyedField {
  readonly field: Field;
  readonly declared: Readonly<Record<string, Value>>;
  readonly value: ReadonlyMap<string, Data>;
  readonly change: AcceptedChange;
}

/** Entry by entry, since each may be written in another file. Of a mapping that is not exact, only declared entries count. */
function acceptEntries(accepted: AcceptedField, { field, declared, value, change }: KeyedField): void {
  const { node, name, edits } = accepted;
  const places = entryPlaces(node, name, field);
  for (const [key, own] of Object.entries(declared)) {
    const live = value.get(key);
    const at = places.get(key) ?? change.at;
    const one = { ...change, what: `${change.what}.${key}`, at };
    if (live === undefined || !sameJson(plain(live), plainValue(own))) acceptEntry(edits, one, live);
  }
  if (field.type === 'map') return;
  const added = [...value].filter(([key]) => !Object.hasOwn(declared, key));
  const place = added.length === 0 ? undefined : fieldPlace(accepted, change);
  if (place === undefined) return;
  const entries = added.map(([key, one]) => [key, writtenOf(one)] as const);
  const what = added.map(([key]) => `${change.what}.${key}`).join(', ');
  edits.add(place, { type: 'insert', path: place.path, entries }, { ...change, what });
}

/** One entry that differs; `live` is undefined where it is not live. */
function acceptEntry(edits: ManifestEdits, change: AcceptedChange, live: Data | undefined): void {
  const place = placeOrRefusal(edits, change);
  if (place === undefined) return;
  const { path: spot } = place;
  const written = edits.writtenAt(place);
  if (typeof written === 'string' && hasTemplate(written)) refuseTemplate(edits, change, written);
  else if (live !== undefined) edits.add(place, { type: 'set', path: spot, value: writtenOf(live) }, change);
  else edits.add(place, { type: 'remove', path: spot }, change);
}

/** Where the entries of a mapping are, by their keys in normal form. */
function entryPlaces(node: DesiredNode, name: string, field: Field): ReadonlyMap<string, SourceRange> {
  const places = new Map<string, SourceRange>();
  for (const [spot, at] of Object.entries(node.fieldAt)) {
    if (!spot.startsWith(`${name}.`)) continue;
    const key = spot.slice(name.length + 1);
    const normal = field.normalize?.({ [key]: '' });
    const [own = key] = isRecord(normal) ? Object.keys(normal) : [];
    places.set(own, at);
  }
  return places;
}

interface Template {
  readonly written: string;
  readonly declared: Value | undefined;
  readonly value: Data | undefined;
  readonly change: AcceptedChange;
  readonly place: ManifestPlace;
}

/** A text file that is the whole value is written; all else that is filled in stays as it is. */
function acceptTemplate(edits: ManifestEdits, { written, declared, value, change, place }: Template): void {
  const file = /^\$\{file:([^{}]*)\}$/.exec(written)?.[1];
  if (file === undefined || typeof value !== 'string' || typeof declared !== 'string') {
    refuseTemplate(edits, change, written);
    return;
  }
  const name = path.posix.normalize(path.posix.join(path.posix.dirname(place.file), file));
  edits.write(name, { before: declared, text: value, change });
}

function refuseTemplate(edits: ManifestEdits, change: AcceptedChange, written: string): void {
  const scheme = /\$\{(env|secret|file|json|yaml):/.exec(written.replaceAll('$${', ''))?.[1];
  const helps: Readonly<Record<string, string>> = {
    env: 'change the variable where the manifests are applied, or write the value itself',
    secret: 'change the secret where the manifests are applied; live values of secrets are never written',
    file: 'change the included file by hand, or write the value itself',
    json: 'change the included file by hand',
    yaml: 'change the included file by hand',
  };
  const reason =
    scheme === undefined ? 'a part of its value is filled in' : `its value comes from \${${scheme}:…}`;
  edits.refuse({ ...change, reason, help: helps[scheme ?? 'file'] });
}

interface ItemsToKeep {
  readonly field: Field;
  readonly declared: Value | undefined;
  readonly value: Data;
  readonly written: Data | undefined;
}

/**
 * The value to write: items of a set that stay are spelled as they are, and stay in their order. Undefined where something
 * is filled in that would be lost.
 */
function withKeptItems({ field, declared, value, written }: ItemsToKeep): Data | undefined {
  const wanted = writtenOf(value);
  const isSet = field.type === 'set' && isDataList(written) && isDataList(value) && Array.isArray(declared);
  if (!isSet || written.length !== declared.length)
    return written !== undefined && holdsTemplate(written) ? undefined : wanted;
  const normal = declared.map((item) => plainValue(item as Value));
  const live = value.map(plain);
  const kept = written.filter((_item, index) => live.some((one) => sameJson(one, normal[index])));
  const lost = written.filter((item) => !kept.includes(item));
  if (lost.some(holdsTemplate)) return undefined;
  const added = value.filter((item) => !normal.some((one) => sameJson(one, plain(item))));
  return [...kept, ...added.map(writtenOf)];
}

function placeOrRefusal(edits: ManifestEdits, change: AcceptedChange): ManifestPlace | undefined {
  const place = edits.placeOf(change.at);
  if (!isNoPlace(place)) return place;
  edits.refuse({ ...change, reason: place.reason, help: 'change that file by hand' });
  return undefined;
}

/**
 * The place of a field. A block mapping begins where its first key does, and a value that is written as a mapping of one
 * entry has the place of that entry: the field is above.
 */
function fieldPlace(
  { edits, tree, node, name: field }: AcceptedField,
  change: AcceptedChange,
): ManifestPlace | undefined {
  const found = placeOrRefusal(edits, change);
  // An object that is one value has the name that the manifest gives it.
  const name = tree.kindOf(node).whole === field ? node.key : field;
  const isInner = found?.path.at(-1) !== name && found?.path.at(-2) === name;
  return found !== undefined && isInner ? { ...found, path: found.path.slice(0, -1) } : found;
}

function hasTemplate(text: string): boolean {
  return text.replaceAll('$${', '').includes('${');
}

function holdsTemplate(data: Data): boolean {
  if (typeof data === 'string') return hasTemplate(data);
  if (isDataMap(data)) return [...data.values()].some(holdsTemplate);
  return isDataList(data) && data.some(holdsTemplate);
}

function plain(data: Data): unknown {
  if (isDataMap(data)) return Object.fromEntries([...data].map(([key, value]) => [key, plain(value)]));
  return isDataList(data) ? data.map(plain) : data;
}

function plainValue(value: Value): unknown {
  return value instanceof Secret ? value : plain(dataOf(value));
}

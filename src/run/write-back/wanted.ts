/**
 * Edited manifests: changes are made in the data of their documents, completely or refused with a reason. Some refusals are known
 * only after all changes are projected again.
 */

import type { Workspace } from '../../manifest/load-workspace.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { append } from '../../util/lists.ts';
import { remembered } from '../../util/remembered.ts';
import { type Data, type DataMap, type DataPath, dataAt, isDataList, isDataMap } from '../../yaml/data.ts';
import type { Move, UpdateRefusal } from '../../yaml/document-update.ts';
import { LineTable } from '../../yaml/line-table.ts';
import { pathAt, readSource, type SourceDocument, type SourceNode, sourceData } from '../../yaml/source.ts';
import { update } from '../../yaml/update.ts';
import type { WrittenChange } from './acceptance.ts';

/** Cached, because each change reads its document. */
const writtenIn = remembered((root: SourceNode) => sourceData(root));

export interface ManifestPlace {
  readonly file: string;
  readonly document: number;
  /** Path in the data as read: moved entries are found at their new place. */
  readonly path: DataPath;
  /** Depth from which missing mappings are created; default: only the mapping that contains the new entry. */
  readonly made?: number;
}

export interface NotPossible {
  readonly reason: string;
}

export const madeByTemplate = 'a template makes it';

/** Matches `[…, 3, 'key']`, which is never the path of an object in a manifest. */
export function isRecordKey(path: DataPath): boolean {
  return path.at(-1) === 'key' && typeof path.at(-2) === 'number';
}

export function isNotPossible(place: object): place is NotPossible {
  return 'reason' in place;
}

/** Places an entry after the last of the siblings named before it; an unnamed entry comes last. */
export interface Order {
  readonly among?: readonly string[] | undefined;
  /** Siblings of the mapping around the entry, if that is new. */
  readonly siblings?: readonly string[] | undefined;
  readonly isFirst?: boolean;
  /** Key of a moved entry; defaults to its former key. */
  readonly key?: string | undefined;
  /** Refuses an existing entry. */
  readonly isNew?: boolean;
}

export type NamedChange = Pick<WrittenChange, 'label' | 'address' | 'what'>;

interface Write<C> {
  readonly change: C;
  readonly document: number;
  readonly path: DataPath;
}

export class WantedManifests<C extends NamedChange> {
  readonly #workspace: Workspace;
  readonly #sources = new Map<string, readonly SourceDocument[]>();
  readonly #tables = new Map<string, LineTable>();
  /** Reasons by change, from all projections. */
  readonly #reasons = new Map<string, string>();
  #documents = new Map<string, readonly WantedDocument[]>();
  #writes = new Map<string, Write<C>[]>();
  #whole = new Map<string, string>();
  #refused = new Map<string, C>();
  #made = new Set<C>();
  #isStale = false;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Returns the mapping, for a record. */
  placeOf({ file, line, column, usedAt, template }: SourceRange): ManifestPlace | NotPossible {
    if (usedAt !== undefined) return { reason: madeByTemplate };
    const { files, recordFiles } = this.#workspace;
    if (!files.includes(file) && recordFiles?.has(file) !== true)
      return { reason: `it is written in ${file}, which is an included file, not a manifest` };
    const table = this.#tables.get(file) ?? new LineTable(this.#workspace.sources.get(file) ?? '');
    this.#tables.set(file, table);
    const found = pathAt(this.#read(file), table.offsetOf({ line, column }));
    if (found === undefined) return { reason: 'its place in the file cannot be found' };
    const isRecord = template !== undefined && isRecordKey(found.path);
    return { file, ...found, path: isRecord ? found.path.slice(0, -1) : found.path };
  }

  /** True next to a `use`, or in the `override` of a record: additions there are marked as new. */
  isOverride({ path: own, ...place }: ManifestPlace): boolean {
    return own.some((_key, at) => {
      const value = this.writtenAt({ ...place, path: own.slice(0, at) });
      return isDataMap(value) && typeof value.get('use') === 'string';
    });
  }

  isOverlay(file: string): boolean {
    return this.#workspace.overlays?.files.has(file) === true;
  }

  writtenAt({ file, document, path }: ManifestPlace): Data | undefined {
    const source = this.#read(file)[document];
    return source?.root === undefined ? undefined : dataAt(writtenIn(source.root), path);
  }

  /** Does not touch equal parts of the value. */
  set(place: ManifestPlace, value: Data, change: C, order: Order = {}): void {
    this.#write(place, change, (document) => document.set(place, value, order));
  }

  /** Replaces a text file except for its last line break. */
  setText(file: string, text: string, change: C): void {
    this.#whole.set(file, text);
    this.#made.add(change);
  }

  remove(place: ManifestPlace, change: C): void {
    this.#write(place, change, (document) => document.remove(place.path));
  }

  /** Takes an entry out; the returned function puts it in, after others have made room. */
  move(from: ManifestPlace, into: ManifestPlace, change: C, order: Order): () => void {
    const entry: MovedEntry = { from: from.path, slot: { holder: new Map(), key: '' } };
    const place = { ...into, path: [...into.path, order.key ?? from.path.at(-1) ?? ''] };
    this.#write(from, change, (document) => document.takeOut(entry));
    return () => this.#write(place, change, (document) => document.putIn(entry, place, order));
  }

  /** The entry keeps its position among its siblings. */
  rename(place: ManifestPlace, key: string, change: C): void {
    const into = { ...place, path: place.path.slice(0, -1) };
    const siblings = this.writtenAt(into);
    const keys = isDataMap(siblings) ? [...siblings.keys()] : [];
    this.move(place, into, change, {
      key,
      among: keys.map((one) => (one === place.path.at(-1) ? key : one)),
    })();
  }

  /** The entries keep their places as a group. */
  order(place: ManifestPlace, keys: readonly string[], change: C): void {
    this.#write(place, change, (document) => document.order(place.path, keys));
  }

  refuse(change: C, reason: string): void {
    const name = nameOf(change);
    this.#refused.set(name, change);
    if (!this.#reasons.has(name)) this.#reasons.set(name, reason);
  }

  whyRefused(change: C): string | undefined {
    return this.#reasons.get(nameOf(change));
  }

  /** `project` makes all changes, and is called again without changes that were found impossible after being made in part. */
  make<T>(project: () => T, textOf: (file: string) => string) {
    for (;;) {
      this.#documents = new Map();
      this.#writes = new Map();
      this.#whole = new Map();
      this.#refused = new Map();
      this.#made = new Set();
      this.#isStale = false;
      const projected = project();
      const texts = this.#isStale ? new Map<string, string>() : this.#texts(textOf);
      if (this.#isStale) continue;
      return { projected, texts, made: [...this.#made], refused: [...this.#refused.values()] };
    }
  }

  #texts(textOf: (file: string) => string): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    for (const [file, text] of this.#whole)
      texts.set(file, text + (/(?:\r?\n)?$/.exec(textOf(file))?.[0] ?? ''));
    for (const [file, writes] of this.#writes) {
      const before = textOf(file);
      const documents = this.#documentsOf(file);
      const moves = documents.flatMap((one, document) => one.moves().map((move) => ({ ...move, document })));
      const wanted = documents.map((one) => one.data());
      const result = update(before, wanted, moves);
      if (result.refused.length > 0) this.#refuseNear(result.refused, writes);
      if (result.text !== before) texts.set(file, result.text);
    }
    return texts;
  }

  /** Refuses all changes of the file if none is near. */
  #refuseNear(refusals: readonly UpdateRefusal[], writes: readonly Write<C>[]): void {
    const near = refusals.flatMap((refusal) =>
      nearest(refusal, writes).map(({ change }) => ({ change, reason: refusal.reason })),
    );
    const reason = refusals[0]?.reason ?? '';
    const all = near.length > 0 ? near : writes.map(({ change }) => ({ change, reason }));
    for (const one of all) this.refuse(one.change, one.reason);
    this.#isStale = true;
  }

  #write(
    { file, document: index, path }: ManifestPlace,
    change: C,
    act: (document: WantedDocument) => string | undefined,
  ): void {
    const document = this.#documentsOf(file)[index];
    const reason =
      this.whyRefused(change) ?? (document === undefined ? 'the file is not valid YAML' : act(document));
    if (reason === undefined) {
      this.#made.add(change);
      push(this.#writes, file, { change, document: index, path });
    } else {
      this.refuse(change, reason);
      if (this.#made.has(change)) this.#isStale = true;
    }
  }

  #documentsOf(file: string): readonly WantedDocument[] {
    const known = this.#documents.get(file);
    if (known !== undefined) return known;
    const made = this.#read(file).map(
      ({ root }) => new WantedDocument(root === undefined ? null : writtenIn(root)),
    );
    this.#documents.set(file, made);
    return made;
  }

  #read(file: string): readonly SourceDocument[] {
    const known = this.#sources.get(file);
    if (known !== undefined) return known;
    const read = readSource(this.#workspace.sources.get(file) ?? '') ?? [];
    this.#sources.set(file, read);
    return read;
  }
}

function nameOf({ label, address, what }: NamedChange): string {
  return JSON.stringify([label, address, what]);
}

/** Writes at or inside the place, else around it. */
function nearest<C>({ document, path }: UpdateRefusal, writes: readonly Write<C>[]): readonly Write<C>[] {
  const own = writes.filter((write) => write.document === document && path.length > 0);
  const inside = own.filter((write) => startsWith(write.path, path));
  const some = inside.length > 0 ? inside : own.filter((write) => startsWith(path, write.path));
  const distance = (write: Write<C>) => Math.abs(write.path.length - path.length);
  const least = some.reduce((most, write) => Math.min(most, distance(write)), Number.POSITIVE_INFINITY);
  return some.filter((write) => distance(write) === least);
}

function startsWith(path: DataPath, start: DataPath): boolean {
  return start.length <= path.length && start.every((key, index) => key === path[index]);
}

/** A removed item leaves a gap, so that the others keep their indexes. */
type DataHolder = Map<string, Data> | (Data | undefined)[];

interface Slot {
  readonly holder: DataHolder;
  readonly key: string | number;
}

interface MovedEntry {
  readonly from: DataPath;
  slot: Slot;
}

type WantedPlace = Pick<ManifestPlace, 'path' | 'made'>;

class WantedDocument {
  readonly #root: Slot;
  /** Collections that were copied once and are then changed in place: a mapping may have thousands of changes. */
  readonly #owned = new WeakSet<object>();
  readonly #gapped = new Set<(Data | undefined)[]>();
  /** Keyed by their former place. */
  readonly #moved = new Map<DataHolder, Map<string | number, MovedEntry>>();

  constructor(data: Data) {
    this.#root = { holder: new Map([['', data]]), key: '' };
  }

  data(): Data {
    for (const list of this.#gapped) {
      const kept = list.filter((item) => item !== undefined);
      list.length = 0;
      append(list, kept);
    }
    return valueAt(this.#root) ?? null;
  }

  moves(): readonly Omit<Move, 'document'>[] {
    const moved = [...this.#moved.values()].flatMap((entries) => [...entries.values()]);
    const paths = moved.length === 0 ? new Map<DataHolder, DataPath>() : this.#paths(this.#root, []);
    return moved.flatMap(({ from, slot: { holder, key } }) => {
      const parent = paths.get(holder);
      return parent === undefined ? [] : [{ from, to: [...parent, key] }];
    });
  }

  set({ path, made = path.length - 1 }: WantedPlace, value: Data, order: Order): string | undefined {
    const key = path.at(-1);
    if (key === undefined) return put(this.#root, value);
    const holder = this.#holder(path.slice(0, -1), made, order.siblings);
    if (typeof holder === 'string') return holder;
    if (valueAt({ holder, key }) === undefined)
      return holder instanceof Map ? insert(holder, [String(key), value], order) : whyNotInside(holder);
    return order.isNew === true ? `there is an entry ${key} already` : put({ holder, key }, value);
  }

  remove(path: DataPath): string | undefined {
    const slot = this.#slot(path);
    if (slot === undefined || valueAt(slot) === undefined) return this.#whyMissing(path);
    if (Array.isArray(slot.holder)) this.#gapped.add(slot.holder);
    return put(slot, undefined);
  }

  takeOut(entry: MovedEntry): string | undefined {
    const slot = this.#slot(entry.from);
    const value = valueAt(slot);
    const reason = this.remove(entry.from);
    if (reason !== undefined || slot === undefined || value === undefined) return reason;
    put(entry.slot, value);
    const others = this.#moved.get(slot.holder) ?? new Map<string | number, MovedEntry>();
    this.#moved.set(slot.holder, others.set(slot.key, entry));
    return undefined;
  }

  putIn(entry: MovedEntry, place: WantedPlace, order: Order): string | undefined {
    const reason = this.set(place, valueAt(entry.slot) ?? null, { ...order, isNew: true });
    const holder = reason ?? this.#holder(place.path.slice(0, -1));
    if (typeof holder === 'string') return holder;
    entry.slot = { holder, key: place.path.at(-1) ?? '' };
    return undefined;
  }

  order(path: DataPath, keys: readonly string[]): string | undefined {
    const holder = this.#holder(path);
    if (typeof holder === 'string') return holder;
    if (!(holder instanceof Map)) return notMapping;
    const named = keys.filter((key) => holder.has(key));
    const isNamed = new Set(named);
    let next = 0;
    const after = [...holder].map(([key, own]): readonly [string, Data] => {
      if (!isNamed.has(key)) return [key, own];
      const other = named[next] ?? key;
      next += 1;
      return [other, holder.get(other) ?? null];
    });
    holder.clear();
    for (const [key, value] of after) holder.set(key, value);
    return undefined;
  }

  /** Follows moved entries. */
  #slot(path: DataPath): Slot | undefined {
    let slot = this.#root;
    for (const key of path) {
      const holder = this.#own(slot);
      if (holder === undefined) return undefined;
      slot = this.#moved.get(holder)?.get(key)?.slot ?? { holder, key };
    }
    return slot;
  }

  #holder(path: DataPath, made = Number.POSITIVE_INFINITY, among?: readonly string[]): DataHolder | string {
    const slot = this.#slot(path);
    const value = valueAt(slot);
    const own = slot && this.#own(slot);
    if (own !== undefined) return own;
    const key = path.at(-1);
    if (value !== undefined && value !== null) return whyNotInside(value);
    if (typeof key !== 'string' || path.length < made) return this.#whyMissing(path);
    const parent = this.#holder(path.slice(0, -1), made);
    if (typeof parent === 'string') return parent;
    if (!(parent instanceof Map)) return notMapping;
    if (!parent.has(key) && mergedHas(parent, key)) return merged;
    const mapping = new Map<string, Data>();
    this.#owned.add(mapping);
    if (parent.has(key)) parent.set(key, mapping);
    else insert(parent, [key, mapping], { among });
    return mapping;
  }

  #own(slot: Slot): DataHolder | undefined {
    const value = valueAt(slot);
    if (typeof value !== 'object' || value === null) return undefined;
    if (this.#owned.has(value)) return value as DataHolder;
    const copy: DataHolder = isDataMap(value) ? new Map(value) : [...(value as readonly Data[])];
    this.#owned.add(copy);
    put(slot, copy as Data);
    return copy;
  }

  #paths(slot: Slot, path: DataPath, found = new Map<DataHolder, DataPath>()): Map<DataHolder, DataPath> {
    const value = valueAt(slot);
    if (typeof value !== 'object' || value === null || !this.#owned.has(value)) return found;
    const holder = value as DataHolder;
    found.set(holder, path);
    for (const key of holder.keys()) this.#paths({ holder, key }, [...path, key], found);
    return found;
  }

  #whyMissing(path: DataPath): string {
    for (let length = path.length - 1; length >= 0; length -= 1) {
      const value = valueAt(this.#slot(path.slice(0, length)));
      if (value !== undefined) return whyNotInside(value);
    }
    return notHere;
  }
}

const merged = 'it comes from a merge key (<<)';
const notHere = 'its parent is not written here';
const notMapping = 'its value is not a mapping';

function valueAt(slot: Slot | undefined): Data | undefined {
  if (slot === undefined) return undefined;
  const { holder, key } = slot;
  return Array.isArray(holder) ? holder[Number(key)] : holder.get(String(key));
}

/** An undefined value is removed. */
function put({ holder, key }: Slot, value: Data | undefined): undefined {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else if (value === undefined) holder.delete(String(key));
  else holder.set(String(key), value);
  return undefined;
}

function mergedHas(holder: DataMap, key: string): boolean {
  const from = holder.get('<<');
  const all = isDataList(from) ? from : [from ?? null];
  return all.some((one) => dataAt(one, [key]) !== undefined);
}

function whyNotInside(value: Data | DataHolder): string {
  if (value instanceof Map) return value.has('<<') ? merged : notHere;
  const isIncluded = typeof value === 'string' && /^\$\{(?:json|yaml):[^{}]*\}$/.test(value);
  return isIncluded ? 'it is included from another file' : notMapping;
}

/** Inserts after the last entry that `among` names before it, else before the first one named after it. */
function insert(
  holder: Map<string, Data>,
  entry: readonly [string, Data],
  { among = [], isFirst }: Order,
): undefined {
  const own = among.indexOf(entry[0]);
  const before = among.slice(0, Math.max(own, 0)).findLast((key) => holder.has(key));
  const after = own < 0 ? undefined : among.slice(own + 1).find((key) => holder.has(key));
  if (isFirst !== true && (before ?? after) === undefined) holder.set(...entry);
  if (holder.has(entry[0])) return undefined;
  const keys = [...holder.keys()];
  const next = after === undefined ? keys.length : keys.indexOf(after);
  const at = isFirst === true ? 0 : before === undefined ? next : keys.indexOf(before) + 1;
  const later = [...holder].slice(at);
  for (const [key] of later) holder.delete(key);
  for (const [key, value] of [entry, ...later]) holder.set(key, value);
  return undefined;
}

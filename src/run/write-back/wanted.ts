/** Edits of manifests, made together in the data of their documents. Each change is made completely or refused with a reason. */

import type { Workspace } from '../../manifest/load-workspace.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { remembered, rememberedIn } from '../../util/remembered.ts';
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

/** Returns why it is impossible, or the rest of the edit, which is made after all others. */
type Act = (document: WantedDocument) => string | undefined | (() => string | undefined);

interface Edit<C> extends Omit<ManifestPlace, 'made'> {
  readonly change: C;
  readonly act: Act;
}

type OpenDocuments = Map<string, readonly WantedDocument[]>;

export class WantedManifests<C extends NamedChange> {
  readonly #workspace: Workspace;
  readonly #sources = new Map<string, readonly SourceDocument[]>();
  readonly #tables = new Map<string, LineTable>();
  readonly #edits: Edit<C>[] = [];
  readonly #whole = new Map<string, string>();
  readonly #changes = new Set<C>();
  readonly #refused = new Map<string, { readonly change: C; readonly reason: string }>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Returns the mapping, for a record. */
  placeOf({ file, line, column, usedAt, template }: SourceRange): ManifestPlace | NotPossible {
    if (usedAt !== undefined) return { reason: madeByTemplate };
    const { files, recordFiles } = this.#workspace;
    if (!files.includes(file) && recordFiles?.has(file) !== true)
      return { reason: `it is written in ${file}, which is an included file, not a manifest` };
    const openTable = () => new LineTable(this.#workspace.sources.get(file) ?? '');
    const table = rememberedIn(this.#tables, file, openTable);
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
    this.#edit(place, change, (document) => document.set(place, new Entry(value), order));
  }

  /** Replaces a text file except for its last line break. */
  setText(file: string, text: string, change: C): void {
    this.#whole.set(file, text);
    this.#changes.add(change);
  }

  /** `whyNot`: asked again after other changes were refused. */
  remove(place: ManifestPlace, change: C, whyNot: () => string | undefined = () => undefined): void {
    this.#edit(place, change, (document) => whyNot() ?? document.remove(place.path));
  }

  /** Takes an entry out, and puts it in after others have made room. */
  move(from: ManifestPlace, into: ManifestPlace, change: C, order: Order): void {
    const place = { ...into, path: [...into.path, order.key ?? from.path.at(-1) ?? ''] };
    this.#edit(from, change, (document) => {
      const entry = document.takeOut(from.path);
      return typeof entry === 'string' ? entry : () => document.set(place, entry, { ...order, isNew: true });
    });
  }

  /** The entry keeps its position among its siblings. */
  rename(place: ManifestPlace, key: string, change: C): void {
    this.#edit(place, change, (document) => document.rename(place.path, key));
  }

  /** The entries keep their places as a group. */
  order(place: ManifestPlace, keys: readonly string[], change: C): void {
    this.#edit(place, change, (document) => () => document.order(place.path, keys));
  }

  refuse(change: C, reason: string): void {
    const name = nameOf(change);
    if (!this.#refused.has(name)) this.#refused.set(name, { change, reason });
  }

  whyRefused(change: C): string | undefined {
    return this.#refused.get(nameOf(change))?.reason;
  }

  /** Makes all edits, and starts over without the changes that turn out to be impossible. */
  make(textOf: (file: string) => string) {
    for (;;) {
      const { size } = this.#refused;
      const documents = this.#edited();
      const texts = this.#refused.size > size ? undefined : this.#texts(documents, textOf);
      if (texts === undefined || this.#refused.size > size) continue;
      const made = [...this.#changes].filter((change) => this.whyRefused(change) === undefined);
      return { texts, made, refused: [...this.#refused.values()] };
    }
  }

  #edit(place: ManifestPlace, change: C, act: Act): void {
    this.#edits.push({ ...place, change, act });
    this.#changes.add(change);
  }

  #edited(): OpenDocuments {
    const documents: OpenDocuments = new Map();
    const rest: (readonly [C, () => string | undefined])[] = [];
    for (const { change, file, document: index, act } of this.#edits) {
      if (this.whyRefused(change) !== undefined) continue;
      const open = () => this.#read(file).map(({ root }) => new WantedDocument(root));
      const document = rememberedIn(documents, file, open)[index];
      const made = document === undefined ? 'the file is not valid YAML' : act(document);
      if (typeof made === 'string') this.refuse(change, made);
      else if (made !== undefined) rest.push([change, made]);
    }
    for (const [change, act] of rest) {
      const reason = act();
      if (reason !== undefined) this.refuse(change, reason);
    }
    return documents;
  }

  #texts(documents: OpenDocuments, textOf: (file: string) => string): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    for (const [file, text] of this.#whole)
      texts.set(file, text + (/(?:\r?\n)?$/.exec(textOf(file))?.[0] ?? ''));
    for (const [file, own] of documents) {
      const before = textOf(file);
      const moves = own.flatMap((one, document) => one.moves().map((move) => ({ ...move, document })));
      const data = own.map((one) => one.data());
      const { text, refused } = update(before, data, moves);
      this.#refuseNear(file, refused);
      if (text !== before) texts.set(file, text);
    }
    return texts;
  }

  /** Refuses all changes of the file if none is near. */
  #refuseNear(file: string, refusals: readonly UpdateRefusal[]): void {
    const edits = this.#edits.filter(
      (edit) => edit.file === file && this.whyRefused(edit.change) === undefined,
    );
    const near = refusals.flatMap((refusal) =>
      nearest(refusal, edits).map(({ change }) => ({ change, reason: refusal.reason })),
    );
    const [first] = refusals;
    if (first !== undefined && near.length === 0)
      for (const { change } of edits) this.refuse(change, first.reason);
    for (const { change, reason } of near) this.refuse(change, reason);
  }

  #read(file: string): readonly SourceDocument[] {
    return rememberedIn(this.#sources, file, () => readSource(this.#workspace.sources.get(file) ?? '') ?? []);
  }
}

function nameOf({ label, address, what }: NamedChange): string {
  return JSON.stringify([label, address, what]);
}

/** Edits at or inside the place, else around it. */
function nearest<C>({ document, path }: UpdateRefusal, edits: readonly Edit<C>[]): readonly Edit<C>[] {
  const own = edits.filter((edit) => edit.document === document && path.length > 0);
  const inside = own.filter((edit) => startsWith(edit.path, path));
  const some = inside.length > 0 ? inside : own.filter((edit) => startsWith(path, edit.path));
  const distance = (edit: Edit<C>) => Math.abs(edit.path.length - path.length);
  const least = some.reduce((most, edit) => Math.min(most, distance(edit)), Number.POSITIVE_INFINITY);
  return some.filter((edit) => distance(edit) === least);
}

function startsWith(path: DataPath, start: DataPath): boolean {
  return start.length <= path.length && start.every((key, index) => key === path[index]);
}

type Entries = Map<string | number, Entry>;

/** A value in a document. Its entries become objects of their own when one changes: a mapping may have thousands of them. */
class Entry {
  /** Path as read. */
  readonly from: DataPath;
  isMoved = false;
  /** As read or set; entries may have changed since. */
  value: Data;
  #entries: Entries | undefined;
  #former: ReadonlyMap<string | number, Entry> = new Map();

  constructor(value: Data, from: DataPath = []) {
    this.value = value;
    this.from = from;
  }

  /** By key or index as read, which a removed item does not change. Undefined for a scalar. */
  get entries(): Entries | undefined {
    const { value, from } = this;
    if (this.#entries === undefined && (isDataMap(value) || isDataList(value))) {
      const entries = [...value.entries()].map(
        ([key, inner]) => [key, new Entry(inner, [...from, key])] as const,
      );
      this.#former = new Map<string | number, Entry>(entries);
      this.#entries = new Map(this.#former);
    }
    return this.#entries;
  }

  /** Follows moved entries. */
  at(key: string | number): Entry | undefined {
    const { entries } = this;
    const former = this.#former.get(key);
    return former?.isMoved === true ? former : entries?.get(key);
  }

  put(value: Data): undefined {
    this.value = value;
    this.#entries = undefined;
  }

  arrange(entries: Iterable<readonly [string | number, Entry]>): undefined {
    this.#entries = new Map(entries);
  }

  data(): Data {
    if (this.#entries === undefined) return this.value;
    const entries = [...this.#entries].map(([key, one]) => [String(key), one.data()] as const);
    return isDataList(this.value) ? entries.map(([, value]) => value) : new Map(entries);
  }

  moves(path: DataPath = []): readonly Omit<Move, 'document'>[] {
    return [...(this.#entries ?? [])].flatMap(([key, one], index) => {
      const to = [...path, isDataList(this.value) ? index : key];
      return [...(one.isMoved ? [{ from: one.from, to }] : []), ...one.moves(to)];
    });
  }
}

class WantedDocument {
  readonly #root: Entry;

  constructor(root: SourceNode | undefined) {
    this.#root = new Entry(root === undefined ? null : writtenIn(root));
  }

  data(): Data {
    return this.#root.data();
  }

  moves(): readonly Omit<Move, 'document'>[] {
    return this.#root.moves();
  }

  set(
    { path, made = path.length - 1 }: Pick<ManifestPlace, 'path' | 'made'>,
    entry: Entry,
    order: Order,
  ): string | undefined {
    const key = path.at(-1);
    if (key === undefined) return this.#root.put(entry.value);
    const holder = this.#holder(path.slice(0, -1), made, order.siblings);
    if (typeof holder === 'string') return holder;
    const known = holder.entries?.get(key);
    if (known === undefined)
      return isDataMap(holder.value)
        ? insert(holder, [String(key), entry], order)
        : whyNotInside(holder.value);
    if (order.isNew === true) return `there is an entry ${key} already`;
    return known.put(entry.value);
  }

  remove(path: DataPath): string | undefined {
    const holder = this.#at(path.slice(0, -1));
    return holder?.entries?.delete(path.at(-1) ?? '') === true ? undefined : this.#whyMissing(path);
  }

  /** The entry, or why there is none. */
  takeOut(path: DataPath): Entry | string {
    const entry = this.#at(path);
    const reason = this.remove(path);
    if (entry === undefined || reason !== undefined) return reason ?? notHere;
    entry.isMoved = true;
    return entry;
  }

  rename(path: DataPath, key: string): string | undefined {
    const [entry, holder] = [this.#at(path), this.#at(path.slice(0, -1))];
    if (entry === undefined || holder?.entries === undefined) return this.#whyMissing(path);
    if (!isDataMap(holder.value)) return notMapping;
    if (holder.entries.has(key)) return `there is an entry ${key} already`;
    entry.isMoved = true;
    return holder.arrange([...holder.entries].map(([own, one]) => [one === entry ? key : own, one]));
  }

  order(path: DataPath, keys: readonly string[]): string | undefined {
    const holder = this.#holder(path);
    if (typeof holder === 'string') return holder;
    const { entries, value } = holder;
    if (entries === undefined || !isDataMap(value)) return notMapping;
    const named = keys.flatMap((key) => {
      const entry = entries.get(key);
      return entry === undefined ? [] : [[key, entry] as const];
    });
    const isNamed = new Set<string | number>(keys);
    return holder.arrange([...entries].map((own) => (isNamed.has(own[0]) ? (named.shift() ?? own) : own)));
  }

  #at(path: DataPath): Entry | undefined {
    return path.reduce<Entry | undefined>((entry, key) => entry?.at(key), this.#root);
  }

  /** Makes missing mappings from a depth on. */
  #holder(path: DataPath, made = Number.POSITIVE_INFINITY, among?: readonly string[]): Entry | string {
    const entry = this.#at(path);
    if (entry?.entries !== undefined) return entry;
    if (entry !== undefined && entry.value !== null) return whyNotInside(entry.value);
    const key = path.at(-1);
    if (typeof key !== 'string' || path.length < made) return this.#whyMissing(path);
    if (entry !== undefined) {
      entry.put(new Map());
      return entry;
    }
    const parent = this.#holder(path.slice(0, -1), made);
    if (typeof parent === 'string') return parent;
    if (!isDataMap(parent.value)) return notMapping;
    if (mergedHas(parent.value, key)) return merged;
    const mapping = new Entry(new Map());
    insert(parent, [key, mapping], { among });
    return mapping;
  }

  #whyMissing(path: DataPath): string {
    for (let length = path.length - 1; length >= 0; length -= 1) {
      const found = this.#at(path.slice(0, length));
      if (found !== undefined) return whyNotInside(found.value);
    }
    return notHere;
  }
}

const merged = 'it comes from a merge key (<<)';
const notHere = 'its parent is not written here';
const notMapping = 'its value is not a mapping';

function mergedHas(holder: DataMap, key: string): boolean {
  const from = holder.get('<<');
  const all = isDataList(from) ? from : [from ?? null];
  return all.some((one) => dataAt(one, [key]) !== undefined);
}

function whyNotInside(value: Data): string {
  if (isDataMap(value)) return value.has('<<') ? merged : notHere;
  const isIncluded = typeof value === 'string' && /^\$\{(?:json|yaml):[^{}]*\}$/.test(value);
  return isIncluded ? 'it is included from another file' : notMapping;
}

/** Inserts after the last entry that `among` names before it, else before the first one named after it. */
function insert(
  holder: Entry,
  [key, entry]: readonly [string, Entry],
  { among = [], isFirst }: Order,
): undefined {
  const has = (one: string) => holder.entries?.has(one) === true;
  const own = among.indexOf(key);
  const before = among.slice(0, Math.max(own, 0)).findLast(has);
  const after = own < 0 ? undefined : among.slice(own + 1).find(has);
  if (isFirst !== true && (before ?? after) === undefined) {
    holder.entries?.set(key, entry);
    return undefined;
  }
  const entries = [...(holder.entries ?? [])];
  const placeOf = (one: string | undefined) => entries.findIndex(([other]) => other === one);
  const at = isFirst === true ? 0 : before === undefined ? placeOf(after) : placeOf(before) + 1;
  return holder.arrange(entries.toSpliced(at, 0, [key, entry]));
}

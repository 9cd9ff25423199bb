/** The data of a document while it is edited. Entries that move keep their places as read, which `update` needs. */

import { type Data, type DataPath, dataAt, isDataList, isDataMap } from './data.ts';
import type { Move } from './document-update.ts';

/** Thrown for a change that cannot be made. The message is a clause without a final period. */
export class NotPossible extends Error {
  readonly help: string | undefined;

  constructor(reason: string, help?: string) {
    super(reason);
    this.help = help;
  }
}

export interface PlaceInDocument {
  /** Path in the data as read: moved entries are found at their new place. */
  readonly path: DataPath;
  /** Depth from which missing mappings are created; default: only the mapping that contains the new entry. */
  readonly made?: number | undefined;
}

/** Places an entry after the last of the siblings named before it; an unnamed entry comes last. */
export interface Order {
  readonly among?: readonly string[] | undefined;
  /** Siblings of the mapping around the entry, if that is new. */
  readonly siblings?: readonly string[] | undefined;
  readonly isFirst?: boolean;
  /** Refuses an existing entry. */
  readonly isNew?: boolean;
}

/** A value in a document. Its entries become objects of their own when one changes: a mapping may have thousands of them. */
export class Entry {
  /** As read or set; entries may have changed since. */
  value: Data;
  /** Path as read, of an entry that moves. */
  from: DataPath | undefined;
  #entries: Map<string | number, Entry> | undefined;

  constructor(value: Data) {
    this.value = value;
  }

  /** By key or index as read, which a removed item does not change. Undefined for a scalar. */
  get entries(): Map<string | number, Entry> | undefined {
    const { value } = this;
    if (this.#entries === undefined && (isDataMap(value) || isDataList(value)))
      this.#entries = new Map([...value.entries()].map(([key, inner]) => [key, new Entry(inner)]));
    return this.#entries;
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
      return [...(one.from === undefined ? [] : [{ from: one.from, to }]), ...one.moves(to)];
    });
  }
}

export class EditedDocument extends Entry {
  readonly #isIncluded: (text: string) => boolean;
  /** Entries that were taken out, by their paths as read. */
  readonly #taken = new Map<string, Entry>();

  /** `isIncluded`: true for a text that stands for the data of another file. */
  constructor(value: Data, isIncluded: (text: string) => boolean) {
    super(value);
    this.#isIncluded = isIncluded;
  }

  set({ path, made = path.length - 1 }: PlaceInDocument, entry: Entry, order: Order): undefined {
    const key = path.at(-1);
    if (key === undefined) return this.put(entry.value);
    const holder = this.#holder(path.slice(0, -1), made, order.siblings);
    const known = holder.entries?.get(key);
    if (known !== undefined && order.isNew === true)
      throw new NotPossible(`there is an entry ${key} already`);
    if (known !== undefined) return known.put(entry.value);
    if (!isDataMap(holder.value)) throw new NotPossible(notMapping);
    return insert(holder, [String(key), entry], order);
  }

  remove(path: DataPath): Entry {
    const [entry, holder] = [this.#at(path), this.#at(path.slice(0, -1))];
    const isRemoved = holder?.entries?.delete(path.at(-1) ?? '') === true;
    if (entry === undefined || !isRemoved) throw this.#missing(path);
    return entry;
  }

  /** Edits inside of the entry follow it. */
  take(path: DataPath): Entry {
    const entry = this.remove(path);
    entry.from = path;
    this.#taken.set(JSON.stringify(path), entry);
    return entry;
  }

  order(path: DataPath, keys: readonly string[]): undefined {
    const holder = this.#holder(path);
    const { entries = new Map<string, Entry>() } = holder;
    const named = keys.flatMap((key) => {
      const entry = entries.get(key);
      return entry === undefined ? [] : [[key, entry] as const];
    });
    const isNamed = new Set<string | number>(keys);
    return holder.arrange([...entries].map((own) => (isNamed.has(own[0]) ? (named.shift() ?? own) : own)));
  }

  #at(path: DataPath): Entry | undefined {
    const takenAt = (depth: number) => this.#taken.get(JSON.stringify(path.slice(0, depth)));
    return path.reduce<Entry | undefined>(
      (entry, key, depth) => takenAt(depth + 1) ?? entry?.entries?.get(key),
      this,
    );
  }

  /** Makes missing mappings from a depth on. */
  #holder(path: DataPath, made = Number.POSITIVE_INFINITY, among?: readonly string[]): Entry {
    const entry = this.#at(path);
    if (entry?.entries !== undefined) return entry;
    if (entry !== undefined && entry.value !== null) throw this.#notInside(entry.value);
    const key = path.at(-1);
    if (typeof key !== 'string' || path.length < made) throw this.#missing(path);
    const mapping = entry ?? new Entry(null);
    mapping.put(new Map());
    if (mapping === entry) return mapping;
    if (mergedHas(this.#at(path.slice(0, -1))?.value, key)) throw new NotPossible(merged);
    this.set({ path, made }, mapping, { among });
    return mapping;
  }

  #missing(path: DataPath): NotPossible {
    for (let length = path.length - 1; length >= 0; length -= 1) {
      const found = this.#at(path.slice(0, length));
      if (found !== undefined) return this.#notInside(found.value);
    }
    return new NotPossible(notHere);
  }

  #notInside(value: Data): NotPossible {
    if (isDataMap(value)) return new NotPossible(value.has('<<') ? merged : notHere);
    const isIncluded = typeof value === 'string' && this.#isIncluded(value);
    return new NotPossible(isIncluded ? 'it is included from another file' : notMapping);
  }
}

const merged = 'it comes from a merge key (<<)';
const notHere = 'its parent is not written here';
const notMapping = 'its value is not a mapping';

function mergedHas(holder: Data | undefined, key: string): boolean {
  const from = dataAt(holder, ['<<']);
  return (isDataList(from) ? from : [from]).some((one) => dataAt(one, [key]) !== undefined);
}

/** Inserts after the last entry that `among` names before it, else before the first one named after it. */
function insert(
  holder: Entry,
  [key, entry]: readonly [string, Entry],
  { among = [], isFirst }: Order,
): undefined {
  const has = (one: string | number) => holder.entries?.has(one) === true;
  const own = among.indexOf(key);
  const before = among.slice(0, Math.max(own, 0)).findLast(has);
  const later = isFirst === true ? holder.entries?.keys() : own < 0 ? [] : among.slice(own + 1);
  const after = [...(later ?? [])].find(has);
  if ((before ?? after) === undefined) {
    holder.entries?.set(key, entry);
    return undefined;
  }
  const entries = [...(holder.entries ?? [])];
  const at = entries.findIndex(([other]) => other === (before ?? after)) + (before === undefined ? 0 : 1);
  return holder.arrange(entries.toSpliced(at, 0, [key, entry]));
}

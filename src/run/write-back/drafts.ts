/**
 * Manifests as drafts: changes of their data are collected by place, then made file by file in memory. The order of adding
 * changes does not matter: values are set first, then moved entries are taken out, entries removed, new ones added, moved ones
 * put in, and collections ordered. A change that cannot be made is refused as a whole, with its reason.
 */

import type { Workspace } from '../../manifest/load-workspace.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { remembered } from '../../util/remembered.ts';
import { type Data, type DataMap, type DataPath, dataAt, isDataList, isDataMap } from '../../yaml/data.ts';
import type { Move } from '../../yaml/document-update.ts';
import { LineTable } from '../../yaml/line-table.ts';
import { pathAt, readSource, type SourceDocument, type SourceNode, sourceData } from '../../yaml/source.ts';
import { update } from '../../yaml/update.ts';

/** A document is asked about for each of its changes. */
const writtenIn = remembered((root: SourceNode) => sourceData(root));

export interface ManifestPlace {
  readonly file: string;
  readonly document: number;
  readonly path: DataPath;
}

export interface NotPossible {
  readonly reason: string;
}

export const madeByTemplate = 'a template makes it';

/** `[…, 3, 'key']`, as no object of a manifest is written. */
export function isRecordKey(path: DataPath): boolean {
  return path.at(-1) === 'key' && typeof path.at(-2) === 'number';
}

export function isNotPossible(place: object): place is NotPossible {
  return 'reason' in place;
}

/** Places an entry after the last of the siblings named before it; an unnamed entry comes last. */
export interface Order {
  readonly among?: readonly string[] | undefined;
  readonly around?: readonly string[] | undefined;
}

/** `C` identifies a change. */
export interface DraftedTexts<C> {
  readonly texts: ReadonlyMap<string, string>;
  readonly made: readonly C[];
  readonly refused: readonly { readonly change: C; readonly reason: string }[];
}

/** In this order for each document. */
const phases = ['set', 'lift', 'remove', 'add', 'put', 'order'] as const;

interface DraftChange<C> {
  readonly change: C;
  readonly document: number;
  readonly phase: (typeof phases)[number];
  /** In the data as read; later phases find moved entries in their current place. */
  readonly path: DataPath;
  readonly run: (draft: DocumentDraft) => string | undefined;
}

export class Drafts<C extends object> {
  readonly #workspace: Workspace;
  readonly #documents = new Map<string, readonly SourceDocument[] | undefined>();
  readonly #tables = new Map<string, LineTable>();
  readonly #steps = new Map<string, DraftChange<C>[]>();
  readonly #needs = new Map<C, readonly C[]>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Of a record, its mapping. */
  placeOf({ file, line, column, usedAt, template }: SourceRange): ManifestPlace | NotPossible {
    if (usedAt !== undefined) return { reason: madeByTemplate };
    const { files, recordFiles } = this.#workspace;
    if (!files.includes(file) && recordFiles?.has(file) !== true)
      return { reason: `it is written in ${file}, which is included and no manifest itself` };
    const documents = this.#read(file);
    const table = this.#tables.get(file) ?? new LineTable(this.#workspace.sources.get(file) ?? '');
    this.#tables.set(file, table);
    const found = documents === undefined ? undefined : pathAt(documents, table.offsetOf({ line, column }));
    if (found === undefined) return { reason: 'its place in the file cannot be found' };
    const isRecord = template !== undefined && isRecordKey(found.path);
    return { file, ...found, path: isRecord ? found.path.slice(0, -1) : found.path };
  }

  /** Beside a `use`, or in the `override` of a record: what is added there is marked as new. */
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
    const source = this.#read(file)?.[document];
    return source?.root === undefined ? undefined : dataAt(writtenIn(source.root), path);
  }

  /** Equal parts inside the value are not touched. */
  set(place: ManifestPlace, value: Data, change: C, order: Order = {}): void {
    this.#add(place, 'set', change, (draft) => draft.set(place.path, value, order));
  }

  change(place: ManifestPlace, change: C, make: (value: Data) => Data | NotPossible): void {
    this.#add(place, 'set', change, (draft) => draft.change(place.path, make));
  }

  unset(place: ManifestPlace, change: C): void {
    this.#add(place, 'set', change, (draft) => draft.remove(place.path));
  }

  /** Entries that `needs` moves out of the object stay; if one cannot be moved, nothing is removed. */
  remove(place: ManifestPlace, change: C, needs: readonly C[]): void {
    this.#needs.set(change, needs);
    this.#add(place, 'remove', change, (draft) => draft.remove(place.path));
  }

  add(place: ManifestPlace, value: Data, change: C, order: Order): void {
    this.#add(place, 'add', change, (draft) => draft.set(place.path, value, order, true));
  }

  move(from: ManifestPlace, into: ManifestPlace, change: C, order: Order): void {
    const name = `${from.file} ${from.document} ${JSON.stringify(from.path)}`;
    this.#add(from, 'lift', change, (draft) => draft.lift(name, from.path));
    this.#add(into, 'put', change, (draft) => draft.put(name, [...into.path, from.path.at(-1) ?? ''], order));
  }

  /** The entries keep their places as a group. */
  order(place: ManifestPlace, keys: readonly string[], change: C): void {
    this.#add(place, 'order', change, (draft) => draft.change(place.path, (value) => ordered(value, keys)));
  }

  make(textOf: (file: string) => string): DraftedTexts<C> {
    const texts = new Map<string, string>();
    const made = new Set<C>();
    const refused = new Map<C, string>();
    for (const [file, steps] of this.#steps) {
      const before = textOf(file);
      const result = this.#makeSteps(before, steps);
      if (result.text !== before) texts.set(file, result.text);
      for (const { change } of steps) if (!result.refused.has(change)) made.add(change);
      for (const [change, reason] of result.refused) refused.set(change, reason);
    }
    return {
      texts,
      made: [...made].filter((change) => !refused.has(change)),
      refused: [...refused].map(([change, reason]) => ({ change, reason })),
    };
  }

  #makeSteps(text: string, steps: readonly DraftChange<C>[]): { text: string; refused: Map<C, string> } {
    const refused = new Map<C, string>();
    const open = () => {
      for (const { change } of steps) {
        const reason = this.#needs
          .get(change)
          ?.map((one) => refused.get(one))
          .find((one) => one !== undefined);
        if (reason !== undefined) refused.set(change, `what is inside cannot be moved: ${reason}`);
      }
      return steps.filter(({ change }) => !refused.has(change));
    };
    for (;;) {
      const left = open();
      const result = tryAll(text, left);
      if (result.refused.size === 0) return { text: result.text, refused };
      for (const [step, reason] of result.refused) if (step !== undefined) refused.set(step.change, reason);
      const reason = result.refused.get(undefined);
      if (reason === undefined || open().length < left.length) continue;
      // Find the conflicting change by trying one after the other.
      const changes = [...new Set(left.map(({ change }) => change))];
      for (const change of changes) refused.set(change, reason);
      for (const change of changes) {
        refused.delete(change);
        const [own] = tryAll(text, open()).refused.values();
        if (own !== undefined) refused.set(change, own);
      }
    }
  }

  #add(
    { file, document, path }: ManifestPlace,
    phase: DraftChange<C>['phase'],
    change: C,
    run: DraftChange<C>['run'],
  ): void {
    push(this.#steps, file, { change, document, phase, path, run });
  }

  #read(file: string): readonly SourceDocument[] | undefined {
    if (!this.#documents.has(file))
      this.#documents.set(file, readSource(this.#workspace.sources.get(file) ?? ''));
    return this.#documents.get(file);
  }
}

function tryAll<C>(
  given: string,
  steps: readonly DraftChange<C>[],
): { text: string; refused: ReadonlyMap<DraftChange<C> | undefined, string> } {
  const refused = new Map<DraftChange<C> | undefined, string>();
  const documents = readSource(given.replace(/^\uFEFF/, '')) ?? [];
  const drafts = documents.map(({ root }) => new DocumentDraft(sourceData(root)));
  for (const phase of phases) {
    const own = steps.filter((step) => step.phase === phase).sort(byDepth(phase));
    for (const step of own) {
      const draft = drafts[step.document];
      const reason = draft === undefined ? 'the file is not valid YAML' : step.run(draft);
      if (reason !== undefined) refused.set(step, reason);
    }
  }
  if (refused.size > 0) return { text: given, refused };
  const moves = drafts.flatMap((draft, document) => draft.moves().map((move) => ({ ...move, document })));
  const result = update(
    given,
    drafts.map((draft) => draft.data()),
    moves,
  );
  for (const { document, path, reason } of result.refused) {
    const own = steps.filter((step) => step.document === document && path.length > 0);
    const inside = own.filter((step) => startsWith(step.path, path));
    const around = own.filter((step) => startsWith(path, step.path));
    const near = inside.length > 0 ? inside : around;
    for (const step of near.length === 0 ? [undefined] : near) refused.set(step, reason);
  }
  return { text: result.text, refused };
}

/** Inner entries are taken out before outer ones; outer ones are put in and added before inner ones. */
function byDepth(
  phase: DraftChange<unknown>['phase'],
): (left: DraftChange<unknown>, right: DraftChange<unknown>) => number {
  const sign = phase === 'lift' ? -1 : 1;
  // Later items of a list are removed before they get other indexes.
  const place = ({ path }: DraftChange<unknown>) => Number(path.at(-1)) || 0;
  return phase === 'set'
    ? () => 0
    : (left, right) =>
        sign * (left.path.length - right.path.length) ||
        (phase === 'remove' ? place(right) - place(left) : 0);
}

function startsWith(path: DataPath, start: DataPath): boolean {
  return start.length <= path.length && start.every((key, index) => key === path[index]);
}

/** A key that no manifest has: moved entries wait below it. */
const limbo = '\0';

class DocumentDraft {
  #data: Data;
  /** Collections that were copied once, and are changed in place: thousands of changes may be in one mapping. */
  readonly #owned = new WeakSet<object>();
  readonly #moved: { readonly from: DataPath; readonly to: DataPath }[] = [];
  readonly #lifted = new Map<string, DataPath>();
  readonly #put: { readonly from: DataPath; readonly to: DataPath; readonly moved: number }[] = [];

  constructor(data: Data) {
    this.#data = data;
  }

  data(): Data {
    return this.#data;
  }

  /** In the text and in the data; their parents may have moved later. */
  moves(): readonly Omit<Move, 'document'>[] {
    return this.#put.map(({ from, to, moved }) => ({ from, to: this.#now(to, moved) }));
  }

  set(path: DataPath, value: Data, { among, around }: Order, isNew = false): string | undefined {
    const key = path.at(-1);
    const parent = this.#now(path.slice(0, -1));
    const own = [...parent, ...(key === undefined ? [] : [key])];
    const holder = dataAt(this.#data, parent);
    if (isDataMap(holder) && typeof key === 'string' && !holder.has(key)) {
      this.#insert(parent, holder, [key, value], among);
      return undefined;
    }
    if (holder === undefined || holder === null) {
      const missing = this.#makeMapping(parent, around);
      return missing ?? this.set(path, value, { among });
    }
    if (dataAt(this.#data, own) === undefined) return whyNotInside(holder);
    if (isNew) return `there is an entry ${String(key)} already`;
    this.#write(own, value);
    return undefined;
  }

  change(path: DataPath, make: (value: Data) => Data | NotPossible): string | undefined {
    const own = this.#now(path);
    const before = dataAt(this.#data, own);
    const value = before === undefined ? { reason: this.#whyMissing(own) } : make(before);
    if (typeof value === 'object' && value !== null && 'reason' in value) return value.reason;
    this.#write(own, value);
    return undefined;
  }

  remove(path: DataPath): string | undefined {
    const own = this.#now(path);
    if (dataAt(this.#data, own) === undefined) return this.#whyMissing(own);
    this.#write(own, undefined);
    return undefined;
  }

  lift(name: string, path: DataPath): string | undefined {
    const own = this.#now(path);
    const value = dataAt(this.#data, own);
    if (value === undefined) return this.#whyMissing(own);
    this.#write(own, undefined);
    if (dataAt(this.#data, [limbo]) === undefined) this.#write([limbo], new Map());
    this.#write([limbo, name], value);
    this.#lifted.set(name, path);
    this.#moved.push({ from: own, to: [limbo, name] });
    return undefined;
  }

  put(name: string, path: DataPath, order: Order): string | undefined {
    const from = this.#lifted.get(name);
    const value = dataAt(this.#data, [limbo, name]);
    if (from === undefined || value === undefined) return 'it cannot be moved';
    const into = this.#now(path.slice(0, -1));
    const to = [...into, path.at(-1) ?? ''];
    if (dataAt(this.#data, to) !== undefined) return `there is an entry ${String(to.at(-1))} already`;
    const reason = this.set(path, value, order);
    if (reason !== undefined) return reason;
    this.#write([limbo, name], undefined);
    const rest = dataAt(this.#data, [limbo]);
    if (isDataMap(rest) && rest.size === 0) this.#write([limbo], undefined);
    this.#moved.push({ from: [limbo, name], to });
    this.#put.push({ from, to, moved: this.#moved.length });
    return undefined;
  }

  #now(path: DataPath, since = 0): DataPath {
    return this.#moved
      .slice(since)
      .reduce(
        (own, { from, to }) => (startsWith(own, from) ? [...to, ...own.slice(from.length)] : own),
        path,
      );
  }

  #makeMapping(path: DataPath, around: readonly string[] | undefined): string | undefined {
    const holder = dataAt(this.#data, path.slice(0, -1));
    if (!isDataMap(holder)) return this.#whyMissing(path);
    const key = String(path.at(-1));
    if (!holder.has(key) && holder.has('<<') && mergedHas(holder, key)) return merged;
    if (holder.has(key)) this.#write(path, new Map());
    else this.#insert(path.slice(0, -1), holder, [key, new Map()], around);
    return undefined;
  }

  #insert(
    path: DataPath,
    holder: DataMap,
    entry: readonly [string, Data],
    among: readonly string[] | undefined,
  ): void {
    if (among === undefined) this.#write([...path, entry[0]], entry[1]);
    else this.#write(path, inserted(holder, entry, among));
  }

  /** Sets the value at a path, whose parent is there; undefined removes it. */
  #write(path: DataPath, value: Data | undefined): void {
    const key = path.at(-1);
    if (key === undefined) {
      this.#data = value ?? null;
      return;
    }
    this.#data = this.#copy(this.#data);
    let holder = this.#data;
    for (const step of path.slice(0, -1)) {
      const next = this.#copy(dataAt(holder, [step]) ?? null);
      put(holder, step, next);
      holder = next;
    }
    put(holder, key, value);
  }

  #copy(value: Data): Data {
    if (typeof value !== 'object' || value === null || this.#owned.has(value)) return value;
    const copy = isDataMap(value) ? new Map(value) : [...value];
    this.#owned.add(copy);
    return copy;
  }

  #whyMissing(path: DataPath): string {
    for (let length = path.length - 1; length >= 0; length -= 1) {
      const holder = dataAt(this.#data, path.slice(0, length));
      if (holder !== undefined) return whyNotInside(holder);
    }
    return notHere;
  }
}

const merged = 'it comes from a merge key (<<)';
const notHere = 'its parent is not written here';

/** Changes a collection in place. */
function put(holder: Data, key: string | number, value: Data | undefined): void {
  if (holder instanceof Map) {
    if (value === undefined) holder.delete(String(key));
    else holder.set(String(key), value);
  } else if (Array.isArray(holder)) holder.splice(Number(key), 1, ...(value === undefined ? [] : [value]));
}

function mergedHas(holder: Data, key: string): boolean {
  const from = dataAt(holder, ['<<']);
  const all = isDataList(from) ? from : [from ?? null];
  return all.some((one) => dataAt(one, [key]) !== undefined);
}

function whyNotInside(holder: Data): string {
  if (isDataMap(holder)) return holder.has('<<') ? merged : notHere;
  const isIncluded = typeof holder === 'string' && /^\$\{(?:json|yaml):[^{}]*\}$/.test(holder);
  return isIncluded ? 'it is included from another file' : 'its value is not a mapping';
}

/** After the last entry that `among` names before it, else before the first one named after it. */
function inserted(
  holder: ReadonlyMap<string, Data>,
  entry: readonly [string, Data],
  among: readonly string[] | undefined,
): Data {
  const all = [...holder];
  const own = among?.indexOf(entry[0]) ?? -1;
  const index = (key: string | undefined) => all.findIndex(([one]) => one === key);
  const before = own < 0 ? undefined : among?.slice(0, own).findLast((key) => holder.has(key));
  const after = own < 0 ? undefined : among?.slice(own + 1).find((key) => holder.has(key));
  const at = before !== undefined ? index(before) + 1 : after !== undefined ? index(after) : all.length;
  return new Map([...all.slice(0, at), entry, ...all.slice(at)]);
}

function ordered(value: Data, keys: readonly string[]): Data | NotPossible {
  if (!isDataMap(value)) return { reason: 'its value is not a mapping' };
  const named = keys.filter((key) => value.has(key));
  let next = 0;
  return new Map(
    [...value].map(([key, own]): readonly [string, Data] => {
      if (!named.includes(key)) return [key, own];
      const other = named[next] ?? key;
      next += 1;
      return [other, value.get(other) ?? null];
    }),
  );
}

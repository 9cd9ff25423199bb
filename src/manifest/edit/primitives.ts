/** The smallest edits of a YAML text: what each changes of the text, and what it means for the data. */

import { type Data, isDataMap } from '../emit/data.ts';
import {
  addLines,
  addToBlock,
  type BlockScene,
  type EntryChange,
  type EntryPlace,
  movedLines,
  removeFromBlock,
  reorderBlock,
} from './block-edits.ts';
import { changeValue } from './change-value.ts';
import { type DataPath, isDataList, withDataAt } from './data.ts';
import { addToFlow, isChange, removeFromFlow, reorderFlow } from './flow-edits.ts';
import { columnOf, extentOf, indentStep, isLineStart, lineEnd } from './lines.ts';
import { type Found, isAstray, locate, whyClosed } from './locate.ts';
import { type SourceCollection, type SourceDocument, type SourceEntry, sourceData } from './source.ts';
import type { Layout } from './value-text.ts';

/** Next to which entry something goes; at the end where that one is not there, or none is named. */
export type EntryNeighbour =
  | { readonly after: string; readonly before?: never }
  | { readonly before: string; readonly after?: never }
  | undefined;

/** One edit; paths are those of the text as the edits before have left it. */
export type Primitive =
  | { readonly type: 'value'; readonly path: DataPath; readonly value: Data }
  | { readonly type: 'remove'; readonly path: DataPath }
  | {
      readonly type: 'insert';
      readonly path: DataPath;
      readonly entries: readonly (readonly [string | number, Data])[];
      readonly place?: EntryNeighbour;
    }
  | { readonly type: 'order'; readonly path: DataPath; readonly keys: readonly string[] }
  | {
      readonly type: 'move';
      readonly path: DataPath;
      readonly into: DataPath;
      readonly place?: EntryNeighbour;
    };

/** A document in its text. */
export interface EditScene {
  readonly text: string;
  readonly document: SourceDocument;
}

/** The replacements that an edit comes to, or why there are none. */
export function changeFor(scene: EditScene, edit: Primitive): EntryChange {
  const found = locate(scene.document, edit.path);
  if (isAstray(found)) return found;
  switch (edit.type) {
    case 'value':
      return setValue(scene, found, edit.value);
    case 'remove':
      return remove(scene, found);
    case 'insert':
      return insert(scene, found, edit);
    case 'order':
      return order(scene, found, edit.keys);
    default:
      return move(scene, found, edit);
  }
}

function setValue({ text, document }: EditScene, found: Found, value: Data): EntryChange {
  const { parent, entry, node } = found;
  if (parent === undefined || entry === undefined) return { reason: 'it is not written here' };
  const isScalar = value === null || typeof value !== 'object';
  const closed = node?.type === 'alias' && isScalar ? undefined : whyClosed(document, node);
  if (closed !== undefined) return { reason: closed };
  return changeValue({ text, parent, entry, layout: layoutOf(text, document, parent) }, value);
}

function remove({ text, document }: EditScene, found: Found): EntryChange {
  const { parent, entry } = found;
  if (parent === undefined || entry === undefined) return { reason: 'it is not written here' };
  if (parent.entries.length === 1) return empty({ text, document }, found);
  return parent.flow
    ? removeFromFlow({ text, collection: parent }, entry)
    : removeFromBlock({ text, collection: parent, layout: layoutOf(text, document, parent) }, entry);
}

/** The last entry goes: `{}` or `[]` stays, since nothing at all would mean something else. */
function empty({ text, document }: EditScene, { parent, above, entry }: Found): EntryChange {
  if (parent === undefined || entry === undefined) return { reason: 'it is not written here' };
  if (parent.flow) return removeFromFlow({ text, collection: parent }, entry);
  if (above === undefined) return { reason: 'the document would be empty' };
  const layout = layoutOf(text, document, parent);
  const holder = { ...parent, entries: [above] };
  return changeValue({ text, parent: holder, entry: above, layout }, parent.type === 'map' ? new Map() : []);
}

function insert(
  scene: EditScene,
  found: Found,
  { entries, place }: Extract<Primitive, { type: 'insert' }>,
): EntryChange {
  const { node } = found;
  const { text, document } = scene;
  const closed = whyClosed(document, node);
  if (closed !== undefined) return { reason: closed };
  const isNull = node === undefined || (node.type === 'scalar' && node.value === null);
  const isEmptyBlockParent = isCollection(node) && node.entries.length === 0 && found.parent?.flow === false;
  if (isNull || isEmptyBlockParent) return setValue(scene, found, mapOf(entries));
  if (!isCollection(node)) return { reason: 'its value is not a mapping' };
  const taken = entries.find(
    ([key]) => typeof key === 'string' && node.entries.some((one) => one.key === key),
  );
  if (taken !== undefined) return { reason: `there is an entry ${String(taken[0])} already` };
  const at = placeIn(node, place);
  const layout = layoutOf(text, document, node);
  return node.flow
    ? addToFlow({ text, collection: node }, entries, at)
    : addToBlock({ text, collection: node, layout }, entries, at);
}

function order({ text, document }: EditScene, { node }: Found, keys: readonly string[]): EntryChange {
  const closed = whyClosed(document, node);
  if (closed !== undefined) return { reason: closed };
  if (!isCollection(node)) return { reason: 'its value is not a mapping' };
  const indexes = keys.flatMap((key) => {
    const index = node.entries.findIndex((entry) => entry.key === key);
    return index < 0 ? [] : [index];
  });
  return node.flow
    ? reorderFlow({ text, collection: node }, indexes)
    : reorderBlock({ text, collection: node, layout: layoutOf(text, document, node) }, indexes);
}

function move(
  scene: EditScene,
  found: Found,
  { into, place }: Extract<Primitive, { type: 'move' }>,
): EntryChange {
  const { text, document } = scene;
  const { parent, entry } = found;
  const target = locate(document, into);
  if (isAstray(target)) return target;
  const closed = whyClosed(document, target.node);
  if (closed !== undefined) return { reason: closed };
  if (parent === undefined || entry === undefined) return { reason: 'it is not written here' };
  const { node } = target;
  if (isCollection(node) && node.entries.some(({ key }) => key === entry.key))
    return { reason: `there is an entry ${String(entry.key)} already` };
  const removal = remove(scene, found);
  if (!isChange(removal)) return removal;
  const source = { text, collection: parent, layout: layoutOf(text, document, parent) };
  const lifted =
    parent.flow || !isLineStart(text, entry.from) ? undefined : lift(source, entry, { target, place });
  if (lifted !== undefined) return both(removal, lifted);
  const extent = extentOf(text, parent, entry);
  if (!parent.flow && /(?:^|\s)#/.test(text.slice(extent.from, extent.to)))
    return { reason: 'its comments have no place where it goes' };
  const entries = [[String(entry.key), sourceData(entry.value)]] as const;
  return both(
    removal,
    insert(scene, target, { type: 'insert', path: into, entries, ...(place ? { place } : {}) }),
  );
}

/** Puts the lines of an entry into another block, with its comments; undefined where the other one is no block. */
function lift(
  source: BlockScene,
  entry: SourceEntry,
  { target, place }: { readonly target: Found; readonly place: EntryNeighbour },
): EntryChange | undefined {
  const { text, layout } = source;
  const { node, parent, entry: holder } = target;
  if (!isCollection(node)) return undefined;
  const [first] = node.entries;
  if (first !== undefined) {
    if (node.flow) return undefined;
    const lines = movedLines(source, entry, columnOf(text, first.from));
    return addLines({ text, collection: node, layout }, lines, placeIn(node, place));
  }
  const isBlock = parent?.flow === false && holder !== undefined && isLineStart(text, holder.from);
  if (!isBlock || holder.valueAt === undefined) return undefined;
  const lines = movedLines(source, entry, columnOf(text, holder.from) + layout.step);
  return belowKey(text, node, { valueAt: holder.valueAt, lines });
}

/** The first lines of a mapping that was empty, below its key. */
function belowKey(
  text: string,
  { to }: SourceCollection,
  { valueAt, lines }: { readonly valueAt: number; readonly lines: string },
): EntryChange {
  const at = lineEnd(text, to - 1);
  const isOpenEnd = at === text.length && !text.endsWith('\n');
  return [
    { from: valueAt, to, text: '' },
    { from: at, to: at, text: isOpenEnd ? `\n${lines.replace(/\r?\n$/, '')}` : lines },
  ];
}

function both(one: EntryChange, other: EntryChange): EntryChange {
  if (!isChange(one)) return one;
  return isChange(other) ? [...one, ...other] : other;
}

function placeIn({ entries }: SourceCollection, place: EntryNeighbour): EntryPlace {
  if (place === undefined) return undefined;
  const index = entries.findIndex(({ key }) => key === (place.after ?? place.before));
  if (index < 0) return undefined;
  return place.after === undefined ? { before: index } : { after: index };
}

function isCollection(node: unknown): node is SourceCollection {
  return typeof node === 'object' && node !== null && 'entries' in node;
}

/** New entries are laid out as their siblings are. */
function layoutOf(text: string, { root }: SourceDocument, { entries }: SourceCollection): Layout {
  const nested = entries.flatMap(({ value }: SourceEntry) =>
    isCollection(value) && value.entries.length > 0 ? [value.flow] : [],
  );
  const isFlow = nested.length > 0 && nested.every((flow) => flow);
  return {
    step: indentStep(isCollection(root) ? root : undefined, text),
    nested: isFlow ? 'flow' : 'block',
  };
}

function mapOf(entries: readonly (readonly [string | number, Data])[]): Data {
  if (entries.some(([key]) => typeof key === 'number')) return entries.map(([, value]) => value);
  return new Map(entries.map(([key, value]) => [String(key), value]));
}

/** What an edit makes of the data of its document. */
export function dataAfter(data: Data, edit: Primitive): Data {
  switch (edit.type) {
    case 'value':
      return withDataAt(data, edit.path, () => edit.value);
    case 'remove':
      return withDataAt(data, edit.path.slice(0, -1), (parent) => without(parent, edit.path.at(-1)));
    case 'insert':
      return withDataAt(data, edit.path, (value) => inserted(value, edit.entries, edit.place));
    case 'order':
      return withDataAt(data, edit.path, (value) => reordered(value, edit.keys));
    default: {
      let moved: Data = null;
      const key = edit.path.at(-1);
      const rest = withDataAt(data, edit.path.slice(0, -1), (parent) => {
        if (isDataMap(parent)) moved = parent.get(String(key)) ?? null;
        return without(parent, key);
      });
      return withDataAt(rest, edit.into, (value) => inserted(value, [[String(key), moved]], edit.place));
    }
  }
}

function without(parent: Data, key: string | number | undefined): Data {
  if (isDataMap(parent)) return new Map([...parent].filter(([one]) => one !== key));
  return isDataList(parent) ? parent.filter((_item, index) => index !== key) : parent;
}

function inserted(
  value: Data,
  entries: readonly (readonly [string | number, Data])[],
  place: EntryNeighbour,
): Data {
  if (isDataList(value)) return [...value, ...entries.map(([, item]) => item)];
  if (!isDataMap(value)) return mapOf(entries);
  const all = [...value];
  const index = place === undefined ? -1 : all.findIndex(([key]) => key === (place.after ?? place.before));
  const at = index < 0 ? all.length : place?.after === undefined ? index : index + 1;
  const added = entries.map(([key, one]) => [String(key), one] as const);
  return new Map([...all.slice(0, at), ...added, ...all.slice(at)]);
}

function reordered(value: Data, keys: readonly string[]): Data {
  if (!isDataMap(value)) return value;
  const named = keys.filter((key) => value.has(key));
  let next = 0;
  return new Map(
    [...value].map(([key, own]) => {
      if (!named.includes(key)) return [key, own] as const;
      const other = named[next] ?? key;
      next += 1;
      return [other, value.get(other) ?? null] as const;
    }),
  );
}

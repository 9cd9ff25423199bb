/** Computes replacements that give one document of a text its desired data. `update` verifies the result. */

import { append } from '../util/lists.ts';
import { type Data, type DataMap, type DataPath, isDataList, isDataMap, sameData } from './data.ts';
import { flowValue, hasCommentBetween, isJson, isNested, keptStyle, linesOfFlow } from './flow.ts';
import {
  columnOf,
  type Extent,
  extentAt,
  extentOf,
  indentStep,
  isBlankLine,
  isLineStart,
  isSpaced,
  lineBreakAt,
  lineEnd,
  type PlacedExtent,
  pathOver,
  type Replacement,
  replaceAll,
  withoutIndent,
} from './lines.ts';
import {
  documentText,
  entryText,
  flowEntry,
  flowText,
  itemText,
  keyText,
  type Layout,
  scalarText,
  valueText,
} from './print.ts';
import {
  explicitKey,
  nodesIn,
  type PlacedEntry,
  type SourceCollection,
  type SourceDocument,
  type SourceEntry,
  type SourceNode,
  sourceData,
} from './source.ts';

/** A mapping entry with another place or key in the desired data. It keeps its bytes and comments. */
export interface Move {
  readonly document: number;
  readonly from: DataPath;
  readonly to: DataPath;
}

export interface UpdateRefusal {
  readonly document: number;
  /** The conflicting entry in the given text; empty if unknown. */
  readonly path: DataPath;
  /** A clause without a final period. */
  readonly reason: string;
}

interface Part {
  readonly entry: SourceEntry | undefined;
  readonly key: string | number;
  readonly value: Data;
  readonly path: DataPath;
}

export class DocumentUpdate {
  readonly refused: UpdateRefusal[] = [];
  readonly dropped: Extent[] = [];
  /** Entries with a new place, including entries that move out of a dropped one. */
  readonly moved: PlacedExtent[] = [];
  readonly #reordered: (readonly PlacedExtent[])[] = [];
  readonly #text: string;
  readonly #document: SourceDocument;
  readonly #index: number;
  readonly #moves: readonly { readonly to: DataPath; readonly source: PlacedEntry }[];
  readonly #step: number;
  readonly #known = new Map<SourceNode, Data>();

  constructor(text: string, document: SourceDocument, index: number, moves: readonly Move[]) {
    this.#text = text;
    this.#document = document;
    this.#index = index;
    this.#moves = moves.flatMap(({ document: of, from: path, to }) => {
      const source = of === index ? this.#entryAt(path) : undefined;
      if (source === undefined) return [];
      this.moved.push({ ...this.#extentOf(source), path });
      return [{ to, source }];
    });
    this.#step = indentStep(isCollection(document.root) ? document.root : undefined, text);
  }

  replacements(wanted: Data): readonly Replacement[] {
    const { root, to } = this.#document;
    if (sameData(this.#dataOf(root), wanted)) return [];
    if (root === undefined && isDataMap(wanted)) return [{ from: to, to, text: documentText(wanted) }];
    if (isCollection(root) && isAlike(root, wanted)) return this.#inCollection(root, wanted, []);
    return this.#refuse([], 'the document would be empty');
  }

  /** Paths of changes that may have separated an alias from its anchor, or put it before the anchor. */
  partedLinks(): readonly DataPath[] {
    const { dropped, moved } = this;
    const isGone = (offset: number) =>
      extentAt(offset, dropped) !== undefined && extentAt(offset, moved) === undefined;
    const parted = (places: readonly PlacedExtent[], ...[from, anchor]: readonly [number, number]) => {
      const [own, other] = [extentAt(from, places), extentAt(anchor, places)];
      return own === other ? [] : [own, other].flatMap((one) => (one === undefined ? [] : [one.path]));
    };
    return nodesIn([this.#document]).flatMap((node) => {
      if (node.type !== 'alias') return [];
      const { from, target } = node;
      const anchor = target?.from ?? from;
      if (isGone(anchor)) return isGone(from) ? [] : [this.placeAt(anchor)];
      const apart = parted(moved, from, anchor);
      return apart.length > 0 ? apart : this.#reordered.flatMap((entries) => parted(entries, from, anchor));
    });
  }

  /** Path of the moved entry, else of the innermost entry, whose lines contain the offset. */
  placeAt(offset: number): DataPath {
    return extentAt(offset, this.moved)?.path ?? pathOver(this.#text, this.#document.root, offset);
  }

  #dataOf(node: SourceNode | undefined): Data {
    return sourceData(node, this.#known);
  }

  #refuse(path: DataPath, reason: string): readonly Replacement[] {
    this.refused.push({ document: this.#index, path, reason });
    return [];
  }

  #inEntry(placed: PlacedEntry, part: Part): readonly Replacement[] {
    const { key, keyFrom: from, keyTo: to, keyStyle: like } = placed.entry;
    const inside = this.#inValue(placed, part);
    if (typeof part.key === 'number' || part.key === String(key)) return inside;
    return [{ from, to, text: keyText(part.key, { like, inFlow: placed.parent.flow }) }, ...inside];
  }

  #inValue({ parent, entry }: PlacedEntry, { value: wanted, path }: Part): readonly Replacement[] {
    const { value: node } = entry;
    if (sameData(this.#dataOf(node), wanted)) return [];
    const isScalar = !isDataMap(wanted) && !isDataList(wanted);
    const closed = node?.type === 'alias' && isScalar ? undefined : this.#whyClosed(node);
    const reason = closed ?? (entry.odd === explicitKey ? undefined : entry.odd);
    if (reason !== undefined) return this.#refuse(path, reason);
    if (isCollection(node) && isAlike(node, wanted))
      return this.#inCollection(node, wanted, path, entry.valueAt);
    if (node !== undefined) this.dropped.push(isCollection(node) ? this.#blockOf(node) : node);
    const isTiny = isDataMap(wanted) && wanted.size === 1 && ![...wanted.values()].some(isNested);
    if (isCollection(node) && node.flow && node.entries.length === 0 && !isScalar) {
      const isKept = parent.flow || isTiny || this.#text.slice(node.from, node.to).includes('#');
      if (isKept) return this.#inEmptyFlow(node, wanted, isJson(parent));
    }
    if (parent.flow) return flowValue(this.#text, { parent, entry }, wanted);
    const isEmpty = node === undefined || (node.type === 'scalar' && node.value === null);
    const layout = { ...this.#layoutOf(parent), ...(isEmpty && isTiny ? { nested: 'flow' as const } : {}) };
    const column = columnOf(this.#text, parent.entries[0]?.from ?? entry.from);
    const like = keptStyle(node, wanted);
    const written =
      like === undefined
        ? this.#valueText(wanted, path, column, layout)
        : ` ${scalarText(wanted as string, { like })}\n`;
    return this.#blockValue(entry, written, path);
  }

  /** Why changing a node would also change other places. */
  #whyClosed(node: SourceNode | undefined): string | undefined {
    if (node === undefined) return undefined;
    if (node.type === 'alias') return `it is the alias *${node.name}, shared with others`;
    const { anchor, tag } = node;
    if (anchor !== undefined && this.#document.aliased.has(anchor))
      return `it has the anchor &${anchor}, which *${anchor} uses elsewhere`;
    return tag === undefined || tag === 'tag:yaml.org,2002:map' ? undefined : `it has the tag ${tag}`;
  }

  #inCollection(
    node: SourceCollection,
    wanted: Data,
    path: DataPath,
    valueAt?: number,
  ): readonly Replacement[] {
    const { entries } = node;
    const parts = isDataMap(wanted)
      ? this.#mapParts(node, wanted, path)
      : this.#listParts(node, wanted, path);
    const isSameOrder =
      parts.length === entries.length && parts.every(({ entry }, index) => entry === entries[index]);
    if (isSameOrder)
      return parts.flatMap((part) =>
        part.entry === undefined ? [] : this.#inEntry({ parent: node, entry: part.entry }, part),
      );
    if (new Set(entries.map(({ key }) => key)).size < entries.length)
      return this.#refuse(path, 'it has a key twice');
    const kept = parts.flatMap(({ entry }) => entry ?? []);
    if (kept.some(({ from }, index) => from < (kept[index - 1]?.from ?? 0)))
      this.#reordered.push(entries.map(({ from, to }) => ({ from, to, path })));
    if (node.flow) return this.#inFlow(node, parts, path);
    return this.#inBlock(node, parts, valueAt);
  }

  /** An entry with a new key keeps its position. */
  #mapParts(node: SourceCollection, wanted: DataMap, path: DataPath): readonly Part[] {
    const known = new Map(node.entries.map((entry) => [String(entry.key), entry]));
    const moved = this.#moves.filter(({ source }) => source.parent === node);
    return [...wanted].map(([key, value]) => {
      const own = [...path, key];
      const entry = known.get(key) ?? moved.find(({ to }) => isSamePath(to, own))?.source.entry;
      return { entry, key, value, path: own };
    });
  }

  /** Matches equal items; of the others, collections at the same position are changed in place. */
  #listParts({ entries }: SourceCollection, wanted: Data, path: DataPath): readonly Part[] {
    const items = isDataList(wanted) ? wanted : [];
    const free = new Set(entries);
    const take = (value: Data, candidates: Iterable<SourceEntry | undefined>) => {
      for (const entry of candidates)
        if (entry !== undefined && free.has(entry) && sameData(this.#dataOf(entry.value), value)) {
          free.delete(entry);
          return entry;
        }
      return undefined;
    };
    const inPlace = items.map((value, index) => take(value, [entries[index]]));
    const found = items.map((value, index) => inPlace[index] ?? take(value, free));
    return items.map((value, index): Part => {
      const own = entries[index];
      const isSame =
        own !== undefined && free.has(own) && (isCollection(own.value) || items.length === entries.length);
      const entry = found[index] ?? (isSame ? own : undefined);
      return { entry, key: index, value, path: [...path, entry?.key ?? index] };
    });
  }

  #inBlock(
    node: SourceCollection,
    parts: readonly Part[],
    valueAt: number | undefined,
  ): readonly Replacement[] {
    const text = this.#text;
    const { entries } = node;
    const [first] = entries;
    if (first === undefined) return [];
    const extents = entries.map((_entry, index) => extentOf(text, node, index));
    const column = columnOf(text, first.from);
    // In `- title: A` the first entry shares its line with a dash: it starts after the dash, as if that were spaces.
    const isCompact = !isLineStart(text, first.from);
    const start = isCompact ? first.from : (extents[0]?.from ?? first.from);
    const end = extents.at(-1)?.to ?? first.to;
    const eol = lineBreakAt(text, Math.max(0, isCompact ? start : start - 1));
    const places = new Map(entries.map((entry, index) => [entry, index]));
    const kept = new Set(parts.map(({ entry }) => entry));
    const { leads, tail } = this.#leads(node, extents, kept);
    for (const [index, entry] of entries.entries())
      if (!kept.has(entry) && !this.#isMoved(entry)) {
        const { from, to } = extents[index] ?? first;
        this.dropped.push({ from: index === 0 ? start : from, to });
      }
    const [gap, layout] = [isSpaced(text, node) ? eol : '', this.#layoutOf(node)];
    const body = (part: Part & { readonly entry: SourceEntry }) => {
      const index = places.get(part.entry) ?? 0;
      const isFirst = isCompact && index === 0;
      const { from, to } = extents[index] ?? first;
      const own = this.#slice(
        isFirst ? start : from,
        to,
        this.#inEntry({ parent: node, entry: part.entry }, part),
      );
      return (isFirst ? ' '.repeat(column) : '') + (own.endsWith('\n') ? own : own + eol);
    };
    // New first entries are inserted directly below the key, above comments that belong to no entry.
    const top = valueAt === undefined || isCompact ? start : lineEnd(text, valueAt);
    const apart = text.slice(top, start);
    let slot = 0;
    const lines = parts.map((part, index) => {
      const { entry } = part;
      if (entry === undefined)
        return (index === 0 ? '' : gap) + this.#fresh(part, column, layout).replaceAll('\n', eol);
      const before = slot > 0 || index === 0 ? '' : apart || gap;
      slot += 1;
      return before + (leads[slot - 1] ?? '') + body({ ...part, entry });
    });
    const all = lines.join('') + tail;
    if (apart !== '' && parts[0]?.entry === undefined) return [{ from: top, to: end, text: all }];
    return [{ from: start, to: end, text: isCompact ? withoutIndent(all, column) : all }];
  }

  /** Collects empty lines and comments that belong to no entry: before each kept entry, and after the last one. */
  #leads(
    { entries }: SourceCollection,
    extents: readonly Extent[],
    kept: ReadonlySet<SourceEntry | undefined>,
  ) {
    const text = this.#text;
    const leads: string[] = [];
    let tail = '';
    for (const [index, { from, to }] of extents.entries()) {
      const gap = text.slice(extents[index - 1]?.to ?? from, from);
      tail += gap;
      if (leads.length === 0 && index > 0) tail = tail.replace(/^(?:[ \t]*\r?\n)+/, '');
      if (kept.has(entries[index])) {
        leads.push(tail);
        tail = '';
        // Only one side of the empty lines around a removed entry is kept.
      } else if (to >= text.length || isBlankLine(text, to))
        tail = tail.replace(/(?:(?<=\n)|^)(?:[ \t]*\r?\n)+$/, '');
    }
    return { leads, tail };
  }

  #isMoved(entry: SourceEntry): boolean {
    return this.#moves.some(({ source }) => source.entry === entry);
  }

  #fresh(part: Part, column: number, layout: Layout): string {
    const { key, value, path } = part;
    if (typeof key === 'number') return itemText(value, column, layout);
    const source = this.#moves.find(({ to }) => isSamePath(to, path))?.source;
    if (source !== undefined && !source.parent.flow && isLineStart(this.#text, source.entry.from))
      return this.#moved(source, part, column);
    const head = entryText(key, null, column, layout).slice(0, -' null\n'.length);
    return head + this.#valueText(value, path, column, layout);
  }

  /** Indents the entry like its new siblings. */
  #moved({ parent, entry }: PlacedEntry, part: Part, column: number): string {
    const { from, to } = this.#extentOf({ parent, entry });
    const own = this.#slice(from, to, this.#inEntry({ parent, entry }, part));
    const shift = column - columnOf(this.#text, entry.from);
    return own
      .split(/(?<=\n)/)
      .map((line) => {
        if (line.trim() === '') return line;
        return shift >= 0 ? ' '.repeat(shift) + line : withoutIndent(line, -shift);
      })
      .join('')
      .replaceAll('\r\n', '\n');
  }

  #valueText(value: Data, path: DataPath, column: number, layout: Layout): string {
    const isTarget = this.#moves.some(
      ({ to }) => to.length > path.length && isSamePath(to.slice(0, path.length), path),
    );
    if (!isTarget || !isDataMap(value) || value.size === 0) return valueText(value, column, layout);
    const below = column + this.#step;
    const entries = [...value].map(([key, inner]) =>
      this.#fresh({ entry: undefined, key, value: inner, path: [...path, key] }, below, layout),
    );
    return `\n${entries.join('')}`;
  }

  #blockValue(entry: SourceEntry, written: string, path: DataPath): readonly Replacement[] {
    const text = this.#text;
    const { value: node, valueAt } = entry;
    if (valueAt === undefined) return this.#refuse(path, 'its key has no value');
    const eol = lineBreakAt(text, valueAt);
    const [line = ''] = written.split('\n', 1);
    const head = line.trimStart();
    const below = written.slice(line.length + 1).replaceAll('\n', eol);
    if (isCollection(node) && !node.flow) {
      const { from, to } = this.#blockOf(node);
      if (!isLineStart(text, node.entries[0]?.from ?? from)) {
        const inline = head === '' ? eol + below : `${head}${eol}${below}`;
        return [{ from, to, text: inline }];
      }
      return [
        { from: valueAt, to: valueAt, text: line },
        { from, to, text: below },
      ];
    }
    if (node?.type === 'scalar' && (node.style === 'literal' || node.style === 'folded')) {
      const header = text.slice(node.from, Math.min(lineEnd(text, node.from), node.to));
      const comment = /\s#[^\r\n]*/.exec(header)?.[0].trimEnd() ?? '';
      const from = head === '' ? valueAt : node.from;
      const own = `${head}${comment}${eol}${below}`;
      return [{ from, to: node.to, text: own.slice(0, -eol.length) }];
    }
    const to = node?.to ?? valueAt;
    const between = node === undefined ? '' : text.slice(valueAt, node.from);
    const isBelowKey = between.includes('\n');
    if (isBelowKey && (head === '' || below !== '') && between.includes('#'))
      return this.#refuse(path, 'a comment is between its key and its value');
    const isInPlace = node !== undefined && head !== '' && !(isBelowKey && below !== '');
    const edit = { from: isInPlace ? node.from : valueAt, to, text: isInPlace ? head : line };
    const next = lineEnd(text, to);
    return below === '' ? [edit] : [edit, { from: next, to: next, text: below }];
  }

  #blockOf(node: SourceCollection): Extent {
    const [first] = node.entries;
    if (node.flow || first === undefined) return node;
    const own = extentOf(this.#text, node, 0);
    const { to } = extentOf(this.#text, node, node.entries.length - 1);
    return { from: isLineStart(this.#text, first.from) ? own.from : first.from, to };
  }

  #inEmptyFlow({ from, to }: SourceCollection, wanted: Data, json: boolean): readonly Replacement[] {
    const inside = this.#text.slice(from + 1, to - 1);
    const all = flowText(wanted, { json });
    // Other text inside may be a comment.
    return inside.trim() === ''
      ? [{ from, to, text: all }]
      : [{ from: from + 1, to: from + 1, text: all.slice(1, -1).trimEnd() }];
  }

  #inFlow(node: SourceCollection, parts: readonly Part[], path: DataPath): readonly Replacement[] {
    const text = this.#text;
    const json = isJson(node);
    const print = ({ key, value }: Part) =>
      typeof key === 'number' ? flowText(value, { json }) : flowEntry(key, value, { json });
    const body = (part: Part) => {
      const { entry } = part;
      if (entry === undefined) return print(part);
      return this.#slice(entry.from, entry.to, this.#inEntry({ parent: node, entry }, part));
    };
    const kept = new Set(parts.map(({ entry }) => entry));
    const gone = node.entries.filter((entry) => !kept.has(entry) && !this.#isMoved(entry));
    const lines = linesOfFlow(text, node);
    if (lines === undefined) {
      if (hasCommentBetween(text, node))
        return this.#refuse(path, 'comments inside its braces would change their places');
      append(this.dropped, gone);
      const [first] = node.entries;
      const last = node.entries.at(-1);
      if (first === undefined || last === undefined) return [];
      const separator = ({ entry }: Part) => {
        const before = entry === undefined ? undefined : node.entries[node.entries.indexOf(entry) - 1];
        return before === undefined || entry === undefined ? ', ' : text.slice(before.to, entry.from);
      };
      const all = parts.map((part, index) => (index === 0 ? '' : separator(part)) + body(part));
      return [{ from: first.from, to: last.to, text: all.join('') }];
    }
    const { lead, entries, tail, hasLastComma } = lines;
    const indent = /[ \t]*$/.exec(entries[0]?.above ?? '')?.[0] ?? '';
    const eol = lineBreakAt(text, node.from);
    for (const entry of gone) {
      const { extent } = entries[node.entries.indexOf(entry)] ?? {};
      if (extent !== undefined) this.dropped.push(extent);
    }
    const own = parts.map((part, index) => {
      const line = part.entry === undefined ? undefined : entries[node.entries.indexOf(part.entry)];
      const comma = index < parts.length - 1 || hasLastComma ? ',' : '';
      return `${line?.above ?? indent}${body(part)}${comma}${line?.after ?? ''}`;
    });
    return [{ from: node.from + 1, to: node.to - 1, text: lead + own.join(eol) + tail }];
  }

  #extentOf({ parent, entry }: PlacedEntry): Extent {
    return parent.flow ? entry : extentOf(this.#text, parent, parent.entries.indexOf(entry));
  }

  #slice(from: number, to: number, replacements: readonly Replacement[]): string {
    const own = replacements.map((one) => ({ ...one, from: one.from - from, to: one.to - from }));
    return replaceAll(this.#text.slice(from, to), own);
  }

  #entryAt(path: DataPath): PlacedEntry | undefined {
    let node = this.#document.root;
    let placed: PlacedEntry | undefined;
    for (const key of path) {
      const entry = isCollection(node) ? node.entries.find((one) => one.key === key) : undefined;
      if (!isCollection(node) || entry === undefined) return undefined;
      placed = { parent: node, entry };
      node = entry.value;
    }
    return placed;
  }

  #layoutOf({ entries }: SourceCollection): Layout {
    const nested = entries.flatMap(({ value }) =>
      isCollection(value) && value.entries.length > 0 ? [value.flow] : [],
    );
    const isFlow = nested.length > 0 && nested.every((flow) => flow);
    return { step: this.#step, nested: isFlow ? 'flow' : 'block' };
  }
}

function isAlike({ type, entries }: SourceCollection, wanted: Data): boolean {
  if (entries.length === 0) return false;
  return type === 'map' ? isDataMap(wanted) && wanted.size > 0 : isDataList(wanted) && wanted.length > 0;
}

function isCollection(node: SourceNode | undefined): node is SourceCollection {
  return node !== undefined && 'entries' in node;
}

function isSamePath(left: DataPath, right: DataPath): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}

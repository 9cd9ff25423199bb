/**
 * A YAML text as a tree of nodes with offsets, for edits and layout. Offsets count from the start of the text without its byte-order
 * mark.
 */
import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { append } from '../util/lists.ts';
import { commentOf, tokensIn, type YamlComment } from './comments.ts';
import type { Data, DataPath } from './data.ts';
import { tooDeepAt } from './nesting.ts';
import { yamlOptions } from './parse.ts';
import type { QuoteStyle } from './print.ts';

interface WithOffsets {
  /** Offset after the anchor and tag. */
  readonly from: number;
  /** Offset after the last significant character. */
  readonly to: number;
  readonly anchor?: string;
  readonly tag?: string;
}

export interface SourceScalar extends WithOffsets {
  readonly type: 'scalar';
  readonly value: null | boolean | number | string;
  readonly style: QuoteStyle;
}

export interface SourceAlias extends WithOffsets {
  readonly type: 'alias';
  readonly name: string;
  readonly target: SourceNode | undefined;
}

export interface SourceCollection extends WithOffsets {
  readonly type: 'map' | 'list';
  readonly flow: boolean;
  readonly entries: readonly SourceEntry[];
}

export type SourceNode = SourceScalar | SourceAlias | SourceCollection;

export interface SourceEntry {
  /** The key of a mapping entry, or the index of a list item. */
  readonly key: string | number;
  /** Offset of the entry, including its `?`, `-`, anchor or tag. */
  readonly from: number;
  readonly to: number;
  /** Offset of the key itself, or of the dash of an item. */
  readonly keyFrom: number;
  readonly keyTo: number;
  readonly keyStyle?: QuoteStyle;
  /** Offset after the colon or dash, and after an anchor and tag of the value; undefined without a colon or dash. */
  readonly valueAt: number | undefined;
  /** Undefined for an omitted value, which means null. */
  readonly value: SourceNode | undefined;
  readonly odd?: string;
}

export interface PlacedEntry {
  readonly entry: SourceEntry;
  readonly parent: SourceCollection;
}

export const explicitKey = 'its key is written with ?';

export interface SourceDocument {
  readonly root: SourceNode | undefined;
  readonly from: number;
  readonly to: number;
  readonly aliased: ReadonlySet<string>;
}

export function readSource(text: string): readonly SourceDocument[] | undefined {
  return readSourceText(text)?.documents;
}

export interface SourceText {
  readonly documents: readonly SourceDocument[];
  readonly comments: readonly YamlComment[];
}

export function readSourceText(text: string): SourceText | undefined {
  if (tooDeepAt(text) !== undefined) return undefined;
  try {
    const comments: YamlComment[] = [];
    const parser = new Parser();
    const composer = new Composer({ ...yamlOptions, keepSourceTokens: true });
    const documents: Document[] = [];
    const compose = (tokens: Iterable<CST.Token>) => {
      for (const token of tokens) for (const document of composer.next(token)) documents.push(document);
    };
    for (const one of tokensIn(text)) {
      append(comments, commentOf(one));
      compose(parser.next(one.token));
    }
    compose(parser.end());
    for (const document of composer.end()) documents.push(document);
    if (documents.some(({ errors }) => errors.length > 0)) return undefined;
    return {
      documents: documents.map((document) => new SourceReader(text).read(document)),
      comments,
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** An alias has the data of its target. */
export function sourceData(node: SourceNode | undefined, known = new Map<SourceNode, Data>()): Data {
  if (node === undefined) return null;
  if (node.type === 'scalar') return node.value;
  if (node.type === 'alias') return sourceData(node.target, known);
  const before = known.get(node);
  if (before !== undefined) return before;
  const data =
    node.type === 'list'
      ? node.entries.map(({ value }) => sourceData(value, known))
      : new Map(node.entries.map(({ key, value }) => [String(key), sourceData(value, known)]));
  known.set(node, data);
  return data;
}

/** Parents before their parts. */
export function entriesIn(documents: readonly SourceDocument[]): readonly PlacedEntry[] {
  const found: PlacedEntry[] = [];
  const add = (node: SourceNode | undefined): void => {
    if (node === undefined || !('entries' in node)) return;
    for (const entry of node.entries) {
      found.push({ entry, parent: node });
      add(entry.value);
    }
  };
  for (const { root } of documents) add(root);
  return found;
}

export function nodesIn(documents: readonly SourceDocument[]): readonly SourceNode[] {
  const roots = documents.flatMap(({ root }) => (root === undefined ? [] : [root]));
  return [...roots, ...entriesIn(documents).flatMap(({ entry }) => entry.value ?? [])];
}

type Sourced<N> = N & { srcToken?: CST.Token };

class SourceReader {
  readonly #text: string;
  readonly #anchors = new Map<string, SourceNode>();
  readonly #aliased = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  read(document: Document): SourceDocument {
    const [from, , to] = document.range ?? [0, this.#text.length, this.#text.length];
    const contents = document.contents as Node | null;
    const isEmpty =
      contents === null || (isScalar(contents) && contents.value === null && !contents.source?.length);
    const root = isEmpty ? undefined : this.#node(contents);
    return { root, from, to, aliased: this.#aliased };
  }

  #node(node: Node): SourceNode {
    if (isAlias(node)) return this.#alias(node);
    const known = isMap(node)
      ? this.#map(node)
      : isSeq(node)
        ? this.#list(node)
        : this.#scalar(node as Scalar);
    const { anchor, tag } = node as { anchor?: string; tag?: string };
    if (!anchor && !tag) return known;
    const made = { ...known, ...(anchor ? { anchor } : {}), ...(tag ? { tag } : {}) };
    if (anchor) this.#anchors.set(anchor, made);
    return made;
  }

  #alias(node: Alias): SourceAlias {
    const [from = 0, to = 0] = node.range ?? [];
    this.#aliased.add(node.source);
    return { type: 'alias', name: node.source, from, to, target: this.#anchors.get(node.source) };
  }

  #scalar(node: Scalar): SourceScalar {
    const [from = 0, end = 0] = node.range ?? [];
    const style = styleOf(node);
    const isBlock = style === 'literal' || style === 'folded';
    const value = typeof node.value === 'object' && node.value !== null ? String(node.source) : node.value;
    return {
      type: 'scalar',
      value: (typeof value === 'bigint' || typeof value === 'symbol' ? String(node.source) : value) as string,
      style,
      from,
      to: isBlock ? this.#endOfBlock(from, end) : end,
    };
  }

  /** Includes empty lines at the end if the header keeps them. */
  #endOfBlock(from: number, end: number): number {
    const source = this.#text.slice(from, end);
    const [header = ''] = /^[^\n]*/.exec(source) ?? [];
    const keeps = /^[|>]\d?\+/.test(header);
    const rest = keeps ? source.replace(/\r?\n$/, '') : source.trimEnd();
    return from + Math.max(rest.length, header.trimEnd().length);
  }

  #map(node: Sourced<YAMLMap>): SourceCollection {
    const flow = node.flow === true;
    const entries = (node.items as Sourced<Pair<Node, Node | null>>[]).map((pair) => this.#entry(pair));
    return { type: 'map', flow, entries, ...this.#extent(node, flow, entries) };
  }

  #entry(pair: Pair<Node, Node | null> & { srcToken?: unknown }): SourceEntry {
    const item = pair.srcToken as CST.CollectionItem | undefined;
    const [keyFrom = 0, keyTo = 0] = pair.key?.range ?? [];
    const { key, odd } = this.#key(pair.key, item);
    const last = item?.sep?.findLast(isSignificant);
    const valueAt = last === undefined ? undefined : last.offset + last.source.length;
    const value = this.#value(pair.value);
    const isScalarKey = isScalar(pair.key);
    return {
      key,
      from: item === undefined ? keyFrom : startOf(item, keyFrom),
      to: Math.max(value?.to ?? 0, valueAt ?? 0, keyTo),
      keyFrom,
      keyTo,
      ...(isScalarKey ? { keyStyle: styleOf(pair.key as Scalar) } : {}),
      valueAt,
      value,
      ...(odd === undefined ? {} : { odd }),
    };
  }

  #key(node: Node | null, item: CST.CollectionItem | undefined): { key: string; odd?: string } {
    const isExplicit = item?.start.some(({ type }) => type === 'explicit-key-ind') === true;
    const odd = isExplicit ? { odd: explicitKey } : {};
    if (isScalar(node)) {
      const key = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
      if (node.anchor) this.#anchors.set(node.anchor, this.#scalar(node));
      return { key, ...(node.anchor || node.tag ? { odd: 'its key has an anchor or a tag' } : odd) };
    }
    if (isAlias(node)) {
      const { target } = this.#alias(node);
      return {
        key: String(target?.type === 'scalar' ? target.value : node.source),
        odd: 'its key is an alias',
      };
    }
    return { key: 'null', odd: 'its key is not text' };
  }

  #value(node: Node | null | undefined): SourceNode | undefined {
    if (node === null || node === undefined) return undefined;
    const isNothing = isScalar(node) && node.value === null && (node.source ?? '') === '';
    return isNothing && !node.anchor && !node.tag ? undefined : this.#node(node);
  }

  #list(node: Sourced<YAMLSeq>): SourceCollection {
    const flow = node.flow === true;
    const items = (node.srcToken as { items?: readonly CST.CollectionItem[] } | undefined)?.items ?? [];
    const tokens = items.filter(({ start, key, sep, value }) =>
      flow
        ? key !== undefined ||
          sep !== undefined ||
          value !== undefined ||
          start.some(({ type }) => type === 'anchor' || type === 'tag')
        : start.some(({ type }) => type === 'seq-item-ind'),
    );
    const entries = node.items.map((one, index): SourceEntry => {
      const item = tokens[index];
      const value = this.#value(one as Node | null);
      const dash = item?.start.find(({ type }) => type === 'seq-item-ind');
      const last = item?.start.findLast((token) => isSignificant(token));
      const from = item === undefined ? (value?.from ?? 0) : startOf(item, value?.from ?? 0);
      const keyFrom = dash?.offset ?? from;
      const valueAt = last === undefined ? from : last.offset + last.source.length;
      const isPair = flow && item?.sep !== undefined;
      return {
        key: index,
        from,
        to: Math.max(value?.to ?? 0, valueAt),
        keyFrom,
        keyTo: dash === undefined ? from : keyFrom + 1,
        valueAt,
        value,
        ...(isPair ? { odd: 'it is a pair without braces' } : {}),
      };
    });
    return { type: 'list', flow, entries, ...this.#extent(node, flow, entries) };
  }

  #extent(node: Node, flow: boolean, entries: readonly SourceEntry[]): { from: number; to: number } {
    const [from = 0, end = 0] = node.range ?? [];
    const first = entries[0]?.from ?? from;
    return flow ? { from, to: end } : { from: Math.min(from, first), to: entries.at(-1)?.to ?? end };
  }
}

function styleOf({ type }: Scalar): QuoteStyle {
  const styles = {
    QUOTE_SINGLE: 'single',
    QUOTE_DOUBLE: 'double',
    BLOCK_LITERAL: 'literal',
    BLOCK_FOLDED: 'folded',
  } as const;
  return styles[type as keyof typeof styles] ?? 'plain';
}

function startOf(item: CST.CollectionItem, fallback: number): number {
  const first = item.start.find(isSignificant) ?? item.key ?? item.sep?.find(isSignificant);
  return first?.offset ?? (item.value as { offset?: number } | undefined)?.offset ?? fallback;
}

function isSignificant({ type }: CST.SourceToken): boolean {
  return !/^(?:space|newline|comment|comma)$/.test(type);
}

export function pathAt(
  documents: readonly SourceDocument[],
  offset: number,
): { readonly document: number; readonly path: DataPath } | undefined {
  for (const [index, { root }] of documents.entries()) {
    const path = root === undefined ? undefined : pathIn(root, offset);
    if (path !== undefined) return { document: index, path };
  }
  return undefined;
}

function pathIn(node: SourceNode, offset: number): DataPath | undefined {
  if (!('entries' in node)) return node.from === offset ? [] : undefined;
  for (const entry of node.entries) {
    const inner = offset < entry.from || offset > entry.to ? undefined : pathInEntry(entry, offset);
    if (inner !== undefined) return inner;
  }
  return node.from === offset ? [] : undefined;
}

/** A mapping begins at its first key; that offset refers to the entry of the key. */
function pathInEntry({ key, keyFrom, value }: SourceEntry, offset: number): DataPath | undefined {
  if (typeof key === 'string' && keyFrom === offset) return [key];
  const inner = value === undefined ? undefined : pathIn(value, offset);
  return inner === undefined ? undefined : [key, ...inner];
}

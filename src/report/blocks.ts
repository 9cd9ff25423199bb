/**
 * Results as documents of blocks: built once, shown as text, Markdown, HTML or JSON. Sections are separated by an empty line; empty
 * ones are omitted. External texts are made safe only here. Pure.
 */
import { stableStringify } from '../util/json.ts';
import { greatest } from '../util/lists.ts';
import { displayWidth, safeJson, safeText, wrap } from './text/safe-text.ts';
import { makeStyle, type Style } from './text/style.ts';
import type { View } from './view.ts';

export type Span = string | { readonly text: string; readonly as: keyof Style };

export type Line = Span | readonly Span[];

interface Table {
  readonly type: 'table';
  readonly rows: readonly (readonly Line[])[];
  readonly indent?: number;
  /** The last cell is wrapped in its column, each of its lines separately. */
  readonly wraps?: true;
  /** Maximum width of the first column; after a wider cell, the rest moves to the next line. */
  readonly widest?: number;
}

interface Paragraph {
  readonly type: 'paragraph';
  readonly text: string;
  readonly as?: keyof Style | undefined;
  readonly indent?: number;
  /** Prefix of the first line, in text only. */
  readonly bullet?: string;
  /** Indentation of further lines; defaults to the width of the bullet. */
  readonly hang?: number;
}

export type Block =
  | Table
  | Paragraph
  | { readonly type: 'heading'; readonly text: string }
  | { readonly type: 'line'; readonly line: Line }
  | { readonly type: 'list'; readonly items: readonly ListItem[]; readonly indent?: number }
  | {
      readonly type: 'code';
      readonly lines: readonly Line[];
      readonly language: string;
      readonly indent?: number;
    };

interface ListItem {
  readonly line: Line;
  /** Wrapped lines with more indentation. */
  readonly below?: readonly string[];
}

export type Document = readonly (readonly Block[])[];

export interface Report<T> {
  readonly document: (result: T, width: number) => Document;
  readonly data: (result: T) => object;
}

export const strong = (text: string): Span => ({ text, as: 'strong' });
export const faint = (text: string): Span => ({ text, as: 'faint' });
export const tick: Span = { text: '✓', as: 'added' };
export const cross: Span = { text: '✗', as: 'removed' };
export const heading = (text: string): Block => ({ type: 'heading', text });
export const line = (...spans: readonly Span[]): Block => ({ type: 'line', line: spans });
export const table = (rows: Table['rows'], layout: Omit<Table, 'type' | 'rows'> = {}): Block => ({
  type: 'table',
  rows,
  ...layout,
});

export const paragraph = (text: string, layout: Omit<Paragraph, 'type' | 'text'> = {}): Block => ({
  type: 'paragraph',
  text,
  ...layout,
});

/** A list with a line above it; nothing if it is empty. */
export function listed(title: string, lines: readonly Line[], most?: number, indent?: number) {
  return lines.length === 0 ? [] : [line(`${title}:`), list(lines, most, indent)];
}

/** Indents its further lines, in text. */
export const note = (text: string, indent: number, as?: keyof Style) =>
  paragraph(text, { indent, hang: 2, as });

/** `most`: maximum of listed entries; the others are counted. */
export function list(lines: readonly Line[], most = lines.length, indent = 2): Block {
  const rest = lines.length > most ? [`and ${lines.length - most} more`] : [];
  return { type: 'list', items: [...lines.slice(0, most), ...rest].map((one) => ({ line: one })), indent };
}

export function asText<T>({ document }: Pick<Report<T>, 'document'>): View<T> {
  return (result, { color, width }) =>
    textOf(document(result, width), { color, room: Math.min(Math.max(width, 80), 110) });
}

interface TextLayout {
  readonly color: boolean;
  /** Width in columns. */
  readonly room: number;
}

export function textOf(document: Sections, layout: TextLayout): string {
  return `${[...textLines(document, layout)].join('\n')}\n`;
}

export type Sections = Iterable<Iterable<Block>>;

/** Yields lines one by one, so that a long text is never a single string. */
export function* textLines(document: Sections, { color, room }: TextLayout): Generator<string> {
  const style = makeStyle({ color });
  let isFirst = true;
  for (const blocks of document) {
    let starts = !isFirst;
    for (const block of blocks)
      for (const text of blockLines(block, style, room)) {
        if (starts) yield '';
        starts = false;
        isFirst = false;
        yield text;
      }
  }
}

/** Keys are in a fixed order. */
export function asJson<T>({ data }: Report<T>): View<T> {
  return (result) => safeJson(`${stableStringify(data(result), 2)}\n`);
}

function blockLines(block: Block, style: Style, room: number): readonly string[] {
  switch (block.type) {
    case 'heading':
      return [style.strong(safeText(block.text))];
    case 'paragraph': {
      const { text, as, indent = 0, bullet = '', hang = bullet.length } = block;
      const paint = as === undefined ? String : style[as];
      return wrap(safeText(text), room - indent - hang).map(
        (part, at) => ' '.repeat(indent) + paint((at === 0 ? bullet : ' '.repeat(hang)) + part),
      );
    }
    case 'line':
      return [painted(block.line, style).trimEnd()];
    case 'list': {
      const { items, indent = 2 } = block;
      return items.flatMap(({ line: one, below = [] }) => [
        ' '.repeat(indent) + painted(one, style),
        ...below.flatMap((text) => wrap(safeText(text), room - 6)).map((text) => `      ${text}`),
      ]);
    }
    case 'code':
      return block.lines.map((one) => ' '.repeat(block.indent ?? 0) + painted(one, style));
    case 'table':
      return tableLines(block, style, room);
  }
}

function tableLines(
  { rows, indent = 2, wraps, widest = Number.POSITIVE_INFINITY }: Table,
  style: Style,
  room: number,
): readonly string[] {
  const widths = (rows[0] ?? []).slice(0, -1).map((_, at) => {
    const most = at === 0 ? widest : Number.POSITIVE_INFINITY;
    return Math.min(most, greatest(rows.map((row) => widthOf(row[at] ?? ''))));
  });
  const last = widths.reduce((sum, width) => sum + width + 2, indent);
  return rows.flatMap((row) => {
    const cells = widths.map((width, at) => {
      const one = row[at] ?? '';
      return painted(one, style) + ' '.repeat(Math.max(0, width - widthOf(one)));
    });
    const end = row.at(-1) ?? '';
    const lines = wraps === true ? wrapped(unpainted(end), room - last) : [painted(end, style)];
    const [first = '', ...rest] = widthOf(row[0] ?? '') > widest ? ['', ...lines] : lines;
    const head = ' '.repeat(indent) + [...cells, first].join('  ');
    return [head.trimEnd(), ...rest.map((text) => ' '.repeat(last) + text)];
  });
}

/** Aligns further lines with the text: after `help: `, or after the leading spaces. */
function wrapped(text: string, room: number): readonly string[] {
  return text.split('\n').flatMap((one) => {
    const [lead = ''] = /^(?:help: | +)?/.exec(one) ?? [];
    const parts = wrap(safeText(one.slice(lead.length)), room - lead.length);
    return parts.map((part, at) => (at === 0 ? lead : ' '.repeat(lead.length)) + part);
  });
}

function painted(one: Line, style: Style): string {
  return spansOf(one)
    .map((span) => (typeof span === 'string' ? safeText(span) : style[span.as](safeText(span.text))))
    .join('');
}

export function spansOf(one: Line): readonly Span[] {
  return typeof one === 'object' && !('as' in one) ? one : [one];
}

export function unpainted(one: Line): string {
  return spansOf(one)
    .map((span) => (typeof span === 'string' ? span : span.text))
    .join('');
}

function widthOf(one: Line): number {
  return displayWidth(safeText(unpainted(one)));
}

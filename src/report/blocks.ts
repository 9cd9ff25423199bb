/**
 * Results as documents of blocks: built once, shown as text, Markdown or JSON. Sections are separated by an empty line, and
 * empty ones are left out. External texts are made safe only here. Pure.
 */
import { stableStringify } from '../util/json.ts';
import { greatest } from '../util/lists.ts';
import { cell, fenced, plain } from './text/markdown.ts';
import { displayWidth, safeJson, safeText, wrap } from './text/safe-text.ts';
import { makeStyle, type Style } from './text/style.ts';
import type { View } from './view.ts';

export type Span = string | { readonly text: string; readonly as: keyof Style };

export type Line = Span | readonly Span[];

/** Rows of cells, aligned. */
interface Table {
  readonly type: 'table';
  readonly rows: readonly (readonly Line[])[];
  readonly indent?: number;
  /** The last cell is wrapped in its column, each of its lines separately. */
  readonly wraps?: true;
  /** Maximum width of the first column; after a wider cell the rest is on the next line. */
  readonly widest?: number;
}

export type Block =
  | Table
  | { readonly type: 'heading' | 'paragraph'; readonly text: string }
  | { readonly type: 'line'; readonly line: Line }
  | { readonly type: 'list'; readonly items: readonly ListItem[] }
  | { readonly type: 'code'; readonly lines: readonly Line[]; readonly language: string };

interface ListItem {
  readonly line: Line;
  /** Wrapped, and indented further. */
  readonly below?: readonly string[];
}

export type Document = readonly (readonly Block[])[];

/** A result as a document for people, and as data for programs. */
export interface Report<T> {
  readonly document: (result: T, width: number) => Document;
  readonly data: (result: T) => object;
}

export const heading = (text: string): Block => ({ type: 'heading', text });
export const line = (...spans: readonly Span[]): Block => ({ type: 'line', line: spans });
export const table = (rows: Table['rows'], layout: Omit<Table, 'type' | 'rows'> = {}): Block => ({
  type: 'table',
  rows,
  ...layout,
});

/** `most`: lists so many entries, then the number of the others. */
export function list(lines: readonly Line[], most = lines.length): Block {
  const rest = lines.length > most ? [`and ${lines.length - most} more`] : [];
  return { type: 'list', items: [...lines.slice(0, most), ...rest].map((one) => ({ line: one })) };
}

export function asText<T>({ document }: Report<T>): View<T> {
  return (result, { color, width }) => {
    const style = makeStyle({ color });
    const room = Math.min(Math.max(width, 80), 110);
    const sections = document(result, width).map((blocks) =>
      blocks.flatMap((block) => textLines(block, style, room)),
    );
    const texts = sections.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')]));
    return `${texts.join('\n\n')}\n`;
  };
}

export function asMarkdown<T>({ document }: Report<T>): View<T> {
  return (result, { width }) => {
    const texts = document(result, width).flatMap((blocks) => blocks.map((block) => markdownLines(block)));
    return `${texts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')])).join('\n\n')}\n`;
  };
}

/** Keys are in a fixed order. */
export function asJson<T>({ data }: Report<T>): View<T> {
  return (result) => safeJson(`${stableStringify(data(result), 2)}\n`);
}

function textLines(block: Block, style: Style, room: number): readonly string[] {
  switch (block.type) {
    case 'heading':
      return [style.strong(safeText(block.text))];
    case 'paragraph':
      return wrap(safeText(block.text), room);
    case 'line':
      return [painted(block.line, style)];
    case 'list':
      return block.items.flatMap(({ line: one, below = [] }) => [
        `  ${painted(one, style)}`,
        ...below.flatMap((text) => wrap(safeText(text), room - 6)).map((text) => `      ${text}`),
      ]);
    case 'code':
      return block.lines.map((one) => painted(one, style));
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
    const lines = wraps === true ? wrapped(textOf(end), room - last) : [painted(end, style)];
    const [first = '', ...rest] = widthOf(row[0] ?? '') > widest ? ['', ...lines] : lines;
    const head = ' '.repeat(indent) + [...cells, first].join('  ');
    return [head.trimEnd(), ...rest.map((text) => ' '.repeat(last) + text)];
  });
}

/** Further lines are aligned with the text: after `help: `, or after the leading spaces. */
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

function markdownLines(block: Block): readonly string[] {
  switch (block.type) {
    case 'heading':
      return [`#### ${plain(block.text)}`];
    case 'paragraph':
      return [plain(block.text)];
    case 'line':
      return [plain(textOf(block.line))];
    case 'list':
      return block.items.map(({ line: one, below = [] }) =>
        [`- ${plain(textOf(one))}`, ...below.map((text) => `  ${plain(text)}`)].join('<br>\n'),
      );
    case 'code':
      return fenced(
        block.lines.map((one) => safeText(textOf(one))),
        block.language,
      );
    case 'table': {
      const columns = block.rows[0]?.length ?? 0;
      const cellOf = (text: string, at: number) => {
        if (text === '') return '';
        return block.wraps === true && at === columns - 1
          ? text.split('\n').map(plain).join('<br>')
          : cell(text);
      };
      const rows = block.rows.map(
        (row) => `| ${row.map((one, at) => cellOf(textOf(one), at)).join(' | ')} |`,
      );
      return columns === 0 ? [] : [`|${' |'.repeat(columns)}`, `|${'---|'.repeat(columns)}`, ...rows];
    }
  }
}

export function spansOf(one: Line): readonly Span[] {
  return typeof one === 'object' && !('as' in one) ? one : [one];
}

function textOf(one: Line): string {
  return spansOf(one)
    .map((span) => (typeof span === 'string' ? span : span.text))
    .join('');
}

function widthOf(one: Line): number {
  return displayWidth(safeText(textOf(one)));
}

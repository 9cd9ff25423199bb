/** Indents with two spaces per level, including items of lists below their key. Comments move with their entries. */

import { LineTable } from '../line-table.ts';
import { columnOf, isLineStart } from '../lines.ts';
import type { SourceCollection, SourceEntry, SourceScalar } from '../source.ts';
import type { SourceTexts } from '../source-texts.ts';

const step = 2;

export function indent(text: string, texts: SourceTexts): string | undefined {
  const documents = texts.read(text);
  if (documents === undefined) return undefined;
  const indenter = new Indenter(text);
  for (const { root } of documents)
    if (root !== undefined && 'entries' in root && !root.flow) indenter.add(root, 0);
  return indenter.result();
}

/** An absolute column, or a shift relative to the parent. */
type LineIndent = { readonly column: number } | { readonly shift: number; readonly least: number };

class Indenter {
  readonly #text: string;
  readonly #lines: LineTable;
  readonly #source: readonly string[];
  readonly #indents = new Map<number, LineIndent>();
  /** Ranges of spaces after dashes, which become a single space. */
  readonly #gaps: { readonly from: number; readonly to: number }[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#lines = new LineTable(text);
    this.#source = text.split('\n');
  }

  add(collection: SourceCollection, column: number): void {
    const [first] = collection.entries;
    if (first === undefined) return;
    const old = columnOf(this.#text, first.from);
    let previous: { readonly line: number; readonly shift: number } | undefined;
    for (const entry of collection.entries) {
      const line = this.#lineOf(entry.from);
      if (previous !== undefined) this.#comments(previous, line, { old, column });
      if (isLineStart(this.#text, entry.from)) this.#indents.set(line, { column });
      this.#value(entry, { old, column });
      previous = { line: this.#lineOf(Math.max(entry.to - 1, entry.from)), shift: column - old };
    }
    this.#leading(first, column);
    if (previous !== undefined) this.#trailing(previous.line, { old, column });
  }

  /** Indents comments directly below the last entry, at its indentation or deeper. Inner collections come first. */
  #trailing(end: number, { old, column }: LevelColumns): void {
    for (let line = end + 1; this.#isComment(line) && this.#indentOf(line) >= old; line += 1) {
      if (!this.#indents.has(line)) this.#indents.set(line, { column });
    }
  }

  /** Aligns the comments above the first entry with it. */
  #leading(first: SourceEntry, column: number): void {
    if (!isLineStart(this.#text, first.from)) return;
    for (let line = this.#lineOf(first.from) - 1; line > 0 && this.#isFree(line); line -= 1) {
      if (this.#isComment(line)) this.#indents.set(line, { column });
    }
  }

  /** Deeper comments between two entries belong to the first one, others to the second. */
  #comments(
    previous: { readonly line: number; readonly shift: number },
    next: number,
    { old, column }: LevelColumns,
  ): void {
    let isBelow = false;
    for (let line = previous.line + 1; line < next; line += 1) {
      if (!this.#isComment(line)) {
        isBelow ||= this.#isBlank(line);
        continue;
      }
      const isDeeper: boolean = !isBelow && this.#indentOf(line) > old;
      isBelow ||= !isDeeper;
      if (isDeeper && this.#indents.has(line)) continue;
      this.#indents.set(line, isDeeper ? { shift: previous.shift, least: column } : { column });
    }
  }

  #value(entry: SourceEntry, { old, column }: LevelColumns): void {
    const { value } = entry;
    const isBlock = value !== undefined && 'entries' in value && !value.flow && value.entries.length > 0;
    if (isBlock && entry.odd === undefined) {
      const first = value.entries[0]?.from ?? value.from;
      if (this.#lineOf(first) === this.#lineOf(entry.from))
        this.#gaps.push({ from: entry.valueAt ?? first, to: first });
      this.add(value, column + step);
      return;
    }
    const start = this.#lineOf(entry.from);
    const end = this.#lineOf(Math.max(entry.to - 1, entry.from));
    const shift = value?.type === 'scalar' ? this.#scalarShift(value, { old, column }) : column - old;
    if (shift === undefined) return;
    for (let line = start + 1; line <= end; line += 1) {
      if (!this.#isBlank(line) || this.#indentOf(line) > 0)
        this.#indents.set(line, { shift, least: column + 1 });
    }
  }

  /** Lines of a block scalar are one level deeper than its key, unless its header specifies the indentation. Undefined if all are empty. */
  #scalarShift(scalar: SourceScalar, { old, column }: LevelColumns): number | undefined {
    const isBlock = scalar.style === 'literal' || scalar.style === 'folded';
    const [header = '', ...content] = this.#text.slice(scalar.from, scalar.to).split('\n');
    if (!isBlock || /^[|>][+-]?\d/.test(header)) return column - old;
    const first = content.find((line) => line.trim() !== '');
    // In a block scalar, lines with only spaces may be text.
    return first === undefined ? undefined : column + step - (/^ */.exec(first)?.[0].length ?? 0);
  }

  result(): string {
    const lines = this.#source.map((line, index) => indented(line, this.#indents.get(index + 1)));
    if (this.#gaps.length === 0) return lines.join('\n');
    // A gap follows a dash, so only the indentation before it has changed: offsets from the end of the line remain valid.
    for (const { from, to } of this.#gaps) {
      const line = this.#lineOf(from);
      const behind = (this.#source[line - 1] ?? '').length - columnOf(this.#text, from);
      const kept = (this.#source[line - 1] ?? '').length - columnOf(this.#text, to);
      const own = lines[line - 1] ?? '';
      lines[line - 1] = `${own.slice(0, own.length - behind)} ${own.slice(own.length - kept)}`;
    }
    return lines.join('\n');
  }

  #lineOf(offset: number): number {
    return this.#lines.placeOf(offset).line;
  }

  #isComment(line: number): boolean {
    return /^[ \t]*#/.test(this.#source[line - 1] ?? '');
  }

  #isBlank(line: number): boolean {
    return (this.#source[line - 1] ?? '').trim() === '';
  }

  #isFree(line: number): boolean {
    return this.#isComment(line) || this.#isBlank(line);
  }

  #indentOf(line: number): number {
    return /^[ \t]*/.exec(this.#source[line - 1] ?? '')?.[0].length ?? 0;
  }
}

interface LevelColumns {
  readonly old: number;
  readonly column: number;
}

function indented(line: string, how: LineIndent | undefined): string {
  if (how === undefined) return line;
  const own = /^ */.exec(line)?.[0].length ?? 0;
  const column = 'column' in how ? how.column : Math.max(how.least, own + how.shift);
  return ' '.repeat(column) + line.slice(own);
}

/**
 * Reads ordinary YAML as located values, many times faster than `yaml`. Declines every text that it may read differently, including
 * invalid ones: values, places and messages never depend on the reader.
 */
import type { SourceRange } from '../util/diagnostic.ts';
import type { LineTable, TextPosition } from './line-table.ts';
import type { Located, LocatedEntry } from './located.ts';

export interface PlainSource {
  readonly file: string;
  readonly text: string;
  readonly lines: LineTable;
}

export function readPlainYaml(source: PlainSource): readonly Located[] | undefined {
  if (unusual.test(source.text) || loneSurrogate.test(source.text)) return undefined;
  try {
    return new PlainReader(source).read();
  } catch {
    return undefined;
  }
}

class NotPlain extends Error {}

const [newline, space, quote, hash, apostrophe] = [0x0a, 0x20, 0x22, 0x23, 0x27] as const;
const [comma, dash, colon, question] = [0x2c, 0x2d, 0x3a, 0x3f] as const;
const [openList, closeList, openMap, closeMap] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const [literal, folded] = [0x7c, 0x3e] as const;

/** A plain scalar cannot begin with one of these, nor with one of the others before a space or line break. */
const indicators = new Set(Array.from(',[]{}#&*!|>\'"%@`', (character) => character.charCodeAt(0)));
const flowIndicators = new Set<number>([comma, openList, closeList, openMap, closeMap]);
const indicatorsBeforeBlank = new Set<number>([dash, colon, question]);

/**
 * Requires a text without tabs and carriage returns. Offsets and columns start at 0. `#at` is the end of the text already read: in block
 * context, it includes the comment and the line break that follow.
 */
class PlainReader {
  readonly #source: PlainSource;
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #gapStart = 0;
  #gapEnd = -1;

  constructor(source: PlainSource) {
    this.#source = source;
    this.#text = source.text;
  }

  read(): readonly Located[] {
    const documents: Located[] = [];
    for (;;) {
      let start = this.#past(this.#at);
      while (this.#isMarker(start)) start = this.#past(start + 3);
      if (start === this.#text.length) return documents;
      documents.push(this.#block(start, -1));
      if (this.#next() !== undefined) throw new NotPlain();
    }
  }

  /** Reads a value in block context. `parentIndent`: the column of its parent. */
  #block(start: number, parentIndent: number): Located {
    if (this.#isItem(start)) return this.#nested(() => this.#sequence(start));
    if (this.#isKey(start)) return this.#nested(() => this.#mapping(start));
    return this.#inline(start, parentIndent);
  }

  #nested(read: () => Located): Located {
    this.#depth += 1;
    if (this.#depth > maxPlainDepth) throw new NotPlain();
    const located = read();
    this.#depth -= 1;
    return located;
  }

  #mapping(start: number): Located {
    const place = this.#place(start);
    const column = place.column - 1;
    const entries: LocatedEntry[] = [];
    for (let at: number | undefined = start; at !== undefined; at = this.#sibling(column)) {
      const { key, keyAt } = this.#key(at, false);
      const colonAt = this.#spaces(this.#at);
      if (!this.#isColon(colonAt)) throw new NotPlain();
      entries.push({ key, keyAt, value: this.#entryValue(colonAt + 1, column) });
    }
    refuseTwice(entries);
    return { type: 'map', entries, at: this.#endBlock(place) };
  }

  #entryValue(from: number, column: number): Located {
    const start = this.#next(from);
    if (start === undefined) return this.#nothing(from);
    if (!this.#isBelow(from, start)) return this.#inline(start, column);
    const own = this.#columnOf(start);
    // A list may have the same indentation as its key.
    const isDeepEnough = own > column || (own === column && this.#isItem(start));
    return isDeepEnough ? this.#below(start, column) : this.#nothing(from);
  }

  #sequence(start: number): Located {
    const place = this.#place(start);
    const column = place.column - 1;
    const items: Located[] = [];
    let end = start;
    let at: number | undefined = start;
    while (at !== undefined && this.#isItem(at)) {
      const from = at + 1;
      const value = this.#next(from);
      if (value === undefined || this.#columnOf(value) <= column) {
        // A comment above an empty item affects its end.
        if (this.#text.slice(end, at).includes('#')) throw new NotPlain();
        items.push(this.#nothing(from));
      } else items.push(this.#isBelow(from, value) ? this.#below(value, column) : this.#block(value, column));
      end = this.#at;
      at = this.#sibling(column);
    }
    return { type: 'list', items, at: this.#endBlock(place) };
  }

  /** Declines a scalar that begins below its key or dash, whose end is not certain. */
  #below(start: number, parentIndent: number): Located {
    const located = this.#block(start, parentIndent);
    if (located.type === 'scalar') throw new NotPlain();
    return located;
  }

  #nothing(from: number): Located {
    this.#at = this.#spaces(from);
    if (this.#text.slice(this.#at, this.#past(this.#at)).includes('#')) throw new NotPlain();
    return { type: 'scalar', value: null, at: this.#lineRange(this.#at, this.#at) };
  }

  #inline(start: number, parentIndent: number): Located {
    const code = this.#code(start);
    if (code === literal || code === folded) return this.#blockScalar(start, parentIndent);
    const located = this.#flowValue(start, false);
    this.#refuseShallow(start, this.#at, parentIndent);
    this.#at = this.#endOfLine(this.#at);
    return located;
  }

  #flowValue(start: number, isFlow: boolean): Located {
    const code = this.#code(start);
    if (code === openMap || code === openList) return this.#nested(() => this.#flow(start, code === openMap));
    const end = this.#scalarEnd(start, isFlow);
    this.#at = end;
    const at = this.#lineRange(start, end);
    return isQuote(code)
      ? { type: 'scalar', value: this.#quoted(start, end), at }
      : plainScalar(this.#text.slice(start, end), at);
  }

  #flow(start: number, isMap: boolean): Located {
    const close = isMap ? closeMap : closeList;
    const place = this.#place(start);
    const entries: LocatedEntry[] = [];
    const items: Located[] = [];
    this.#at = this.#past(start + 1);
    while (this.#code(this.#at) !== close) {
      if (isMap) entries.push(this.#flowEntry(this.#at));
      else items.push(this.#flowValue(this.#at, true));
      this.#at = this.#past(this.#at);
      if (this.#code(this.#at) === comma) this.#at = this.#past(this.#at + 1);
      else if (this.#code(this.#at) !== close) throw new NotPlain();
    }
    this.#at += 1;
    refuseTwice(entries);
    const at = this.#range(place, this.#at);
    return isMap ? { type: 'map', entries, at } : { type: 'list', items, at };
  }

  #flowEntry(start: number): LocatedEntry {
    const { key, keyAt } = this.#key(start, true);
    const colonAt = this.#spaces(this.#at);
    if (this.#code(colonAt) !== colon)
      return { key, keyAt, value: { type: 'scalar', value: null, at: keyAt } };
    const next = this.#past(colonAt + 1);
    const isEmpty = this.#code(next) === comma || this.#code(next) === closeMap;
    return { key, keyAt, value: isEmpty ? this.#nothing(colonAt + 1) : this.#flowValue(next, true) };
  }

  #key(start: number, isFlow: boolean): Omit<LocatedEntry, 'value'> {
    const end = this.#scalarEnd(start, isFlow);
    if (end - start > maxKeyLength) throw new NotPlain();
    this.#at = end;
    const key = isQuote(this.#code(start)) ? this.#quoted(start, end) : this.#text.slice(start, end);
    if (key === '<<') throw new NotPlain();
    return { key, keyAt: this.#lineRange(start, end) };
  }

  #isKey(start: number): boolean {
    const code = this.#code(start);
    if (code === openMap || code === openList || code === literal || code === folded) return false;
    return this.#isColon(this.#spaces(this.#scalarEnd(start, false)));
  }

  #scalarEnd(start: number, isFlow: boolean): number {
    const code = this.#code(start);
    if (isQuote(code)) {
      quotedText.lastIndex = start;
      if (!quotedText.test(this.#text)) throw new NotPlain();
      return quotedText.lastIndex;
    }
    const isAlone = indicatorsBeforeBlank.has(code) && this.#isBlank(start + 1, isFlow);
    if (Number.isNaN(code) || indicators.has(code) || isAlone || this.#isMarker(start)) throw new NotPlain();
    return this.#plainEnd(start, isFlow);
  }

  #plainEnd(start: number, isFlow: boolean): number {
    const words = isFlow ? flowWords : blockWords;
    words.lastIndex = start;
    return words.test(this.#text) ? words.lastIndex : start;
  }

  #quoted(start: number, end: number): string {
    const written = this.#text.slice(start + 1, end - 1);
    if (this.#code(start) === apostrophe) return written.replaceAll("''", "'");
    if (!written.includes('\\')) return written;
    if (rareEscape.test(written.replaceAll('\\\\', ''))) throw new NotPlain();
    const value = String(JSON.parse(`"${written}"`));
    if (loneSurrogate.test(value)) throw new NotPlain();
    return value;
  }

  #blockScalar(start: number, parentIndent: number): Located {
    const place = this.#place(start);
    const from = this.#lineEnd(start) + 1;
    const header = this.#text.slice(start, from);
    if (!/^[|>]-?\n$/.test(header)) throw new NotPlain();
    let at = from;
    while (this.#code(at) === newline) at += 1;
    const indent = this.#spaces(at) - at;
    if (indent <= Math.max(parentIndent, 0)) throw new NotPlain();
    let end = at;
    while (at < this.#text.length) {
      const first = this.#spaces(at);
      const isEmpty = this.#code(first) === newline;
      // The readers treat lines of spaces differently.
      if (first === this.#text.length || (isEmpty && first > at)) throw new NotPlain();
      if (!isEmpty && first - at < indent) break;
      at = this.#lineEnd(first) + 1;
      if (!isEmpty) end = at;
    }
    if (this.#code(end - 1) !== newline) throw new NotPlain();
    this.#at = end;
    const lines = this.#text
      .slice(from, end - 1)
      .split('\n')
      .map((line) => line.slice(indent));
    const value = header.startsWith('|') ? lines.join('\n') : foldedText(lines);
    return {
      type: 'scalar',
      value: header.endsWith('-\n') ? value : `${value}\n`,
      at: this.#range(place, end),
    };
  }

  #sibling(column: number): number | undefined {
    const next = this.#next();
    const own = next === undefined ? -1 : this.#columnOf(next);
    if (own > column) throw new NotPlain();
    return own === column ? next : undefined;
  }

  /** Start of the next value in this document, or undefined. */
  #next(from = this.#at): number | undefined {
    const next = this.#past(from);
    return next === this.#text.length || this.#isMarker(next) ? undefined : next;
  }

  /** Comments below a block collection, at its indentation, belong to it, with all text up to the next value. */
  #endBlock(place: TextPosition): SourceRange {
    const end = this.#at;
    const next = this.#past(end);
    for (let at = end; at < next; at = this.#lineEnd(at) + 1) {
      const first = this.#spaces(at);
      if (this.#code(first) !== hash) continue;
      const own = this.#columnOf(first);
      // The parent of a deeper comment depends on more than this method checks.
      if (own >= place.column) throw new NotPlain();
      if (own === place.column - 1 && own > 0) this.#at = next;
    }
    return this.#range(place, end);
  }

  /** A flow collection on several lines must be indented deeper than its parent. */
  #refuseShallow(start: number, end: number, column: number): void {
    for (
      let at = this.#text.indexOf('\n', start);
      at >= 0 && at < end;
      at = this.#text.indexOf('\n', at + 1)
    ) {
      const first = this.#spaces(at + 1);
      if (this.#code(first) !== newline && first - at - 1 <= column) throw new NotPlain();
    }
  }

  /** Skips a comment on the line of a value, and the line break. */
  #endOfLine(end: number): number {
    const next = this.#spaces(end);
    const at = this.#isComment(next) ? this.#lineEnd(next) : next;
    if (at === this.#text.length) return at;
    if (this.#code(at) !== newline) throw new NotPlain();
    return at + 1;
  }

  #spaces(from: number): number {
    let at = from;
    while (this.#code(at) === space) at += 1;
    return at;
  }

  /** Skips spaces, line breaks and comments. Remembers the last gap, because each collection that ends there needs it. */
  #past(from: number): number {
    if (this.#gapStart <= from && from <= this.#gapEnd) return this.#gapEnd;
    let at = from;
    for (;;) {
      const code = this.#code(at);
      if (code === space || code === newline) at += 1;
      else if (code === hash && this.#isComment(at)) at = this.#lineEnd(at);
      else break;
    }
    this.#gapStart = from;
    this.#gapEnd = at;
    return at;
  }

  #isComment(at: number): boolean {
    const before = this.#code(at - 1);
    return this.#code(at) === hash && (at === 0 || before === space || before === newline);
  }

  #isItem(at: number): boolean {
    return this.#code(at) === dash && this.#isBlank(at + 1);
  }

  #isColon(at: number): boolean {
    return this.#code(at) === colon && this.#isBlank(at + 1);
  }

  #isBlank(at: number, isFlow = false): boolean {
    const code = this.#code(at);
    return code === space || code === newline || Number.isNaN(code) || (isFlow && flowIndicators.has(code));
  }

  #isMarker(at: number): boolean {
    return this.#code(at) === dash && this.#text.startsWith('---', at) && this.#columnOf(at) === 0;
  }

  #isBelow(from: number, at: number): boolean {
    return this.#lineEnd(from) < at;
  }

  #columnOf(at: number): number {
    return this.#place(at).column - 1;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end;
  }

  /** Returns NaN past the end. */
  #code(at: number): number {
    return this.#text.charCodeAt(at);
  }

  #place(at: number): TextPosition {
    return this.#source.lines.placeOf(at);
  }

  #range({ line, column }: TextPosition, to: number): SourceRange {
    const end = this.#place(to);
    return { file: this.#source.file, line, column, endLine: end.line, endColumn: end.column };
  }

  #lineRange(from: number, to: number): SourceRange {
    const { line, column } = this.#place(from);
    return { file: this.#source.file, line, column, endLine: line, endColumn: column + to - from };
  }
}

function isQuote(code: number): boolean {
  return code === quote || code === apostrophe;
}

/** Line breaks next to lines that are indented deeper are kept. */
function foldedText(lines: readonly string[]): string {
  let text = '';
  let before: string | undefined;
  let empty = 0;
  for (const line of lines) {
    if (line === '') empty += 1;
    else {
      const breaks = before === undefined ? 0 : Number(before.startsWith(' ') || line.startsWith(' '));
      const folds = before !== undefined && breaks + empty === 0;
      text += (folds ? ' ' : '\n'.repeat(empty + breaks)) + line;
      before = line;
      empty = 0;
    }
  }
  return text;
}

/**
 * Texts that `yaml` must read: characters that the two may treat differently; anchors, aliases and tags; directives, explicit keys, and
 * document markers that are not alone on their line.
 */
const unusual =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|(?:^|[\s,[{])[&*!?](?=\S)|^ *\?|^%|^\.\.\.|^---(?! *(?:$|#))/m;

const loneSurrogate = /\p{Surrogate}/u;

/** Lower than the limit of `yaml`, which reports an error. */
const maxPlainDepth = 100;

/** Shorter than keys that `yaml` rejects. */
const maxKeyLength = 500;

/** A plain scalar ends before a comment, and before a colon with a space after it. `ends`: other characters that end it. */
const wordsUpTo = (ends: string) => {
  const word = `[^ :#${ends}]|:(?=[^ ${ends}])`;
  return new RegExp(`(?:${word})(?:#|${word}| +(?:${word}))*`, 'y');
};
const blockWords = wordsUpTo('\\n');
const flowWords = wordsUpTo('\\n,[\\]{}');

const quotedText = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|'[^'\n]*(?:''[^'\n]*)*'/y;

const rareEscape = /\\(?!["/nrt]|u[\dA-Fa-f]{4})/;

/** Up to this many keys are compared pairwise; more need a set. */
const few = 8;

function refuseTwice(entries: readonly LocatedEntry[]): void {
  const isTwice =
    entries.length <= few
      ? entries.some(({ key }, at) => entries.findIndex((other) => other.key === key) < at)
      : new Set(entries.map(({ key }) => key)).size < entries.length;
  if (isTwice) throw new NotPlain();
}

const decimal = /^[-+]?(?:\d+|\.\d+|\d+\.\d*|(?:\.\d+|\d+(?:\.\d*)?)[eE][-+]?\d+)$/;
/** Octal and hexadecimal numbers, and numbers that JSON lacks. */
const rare = /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;
const mayBeOther = /^[-+.\d~nNtTfF]/;

/** Longer numbers are rounded, so only `yaml` reads them. */
const maxDigits = 15;

function plainScalar(written: string, at: SourceRange): Located {
  if (!mayBeOther.test(written)) return { type: 'scalar', value: written, at };
  if (/^(?:~|null|Null|NULL)$/.test(written)) return { type: 'scalar', value: null, at };
  if (/^(?:true|True|TRUE)$/.test(written)) return { type: 'scalar', value: true, at, written };
  if (/^(?:false|False|FALSE)$/.test(written)) return { type: 'scalar', value: false, at, written };
  if (rare.test(written)) throw new NotPlain();
  if (!decimal.test(written)) return { type: 'scalar', value: written, at };
  if (written.length > maxDigits) throw new NotPlain();
  const value = Number(written);
  if (!Number.isFinite(value)) throw new NotPlain();
  return { type: 'scalar', value, at, written };
}

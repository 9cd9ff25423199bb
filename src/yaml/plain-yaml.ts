/**
 * Ordinary YAML → located values, several times faster than `yaml`. Declines every text, also a broken one, that it may read
 * differently: values, places and messages never depend on the reader.
 */
import {
  CHOMPING_MODE,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import type { SourceRange } from '../util/diagnostic.ts';
import type { LineTable } from './line-table.ts';
import type { Located, LocatedEntry } from './located.ts';

export function readPlainYaml(source: PlainSource): readonly Located[] | undefined {
  const { text } = source;
  if (isUnusual(text)) return undefined;
  try {
    return new PlainReader(source, parseEvents(text, { maxDepth: maxPlainDepth })).read();
  } catch {
    return undefined;
  }
}

interface PlainValue {
  readonly located: Located;
  readonly end: number;
  /** Includes a comment on its line and the line break, for example. */
  readonly after: number;
}

interface Around {
  readonly column: number;
  readonly isFlow: boolean;
}

class PlainReader {
  readonly #source: PlainSource;
  readonly #events: readonly Event[];
  readonly #gaps: Gaps;
  #next = 0;

  constructor(source: PlainSource, events: readonly Event[]) {
    this.#source = source;
    this.#events = events;
    this.#gaps = new Gaps(source.text);
  }

  read(): readonly Located[] {
    const documents: Located[] = [];
    let end = 0;
    while (this.#next < this.#events.length) {
      this.#take(EVENT_ID.DOCUMENT);
      const start = this.#gaps.skipMarks(end);
      if (this.#isEmpty()) this.#next += 1;
      else {
        const { located, after } = this.#value(start, { column: -1, isFlow: false });
        documents.push(located);
        end = after;
      }
      this.#take(EVENT_ID.POP);
    }
    if (this.#gaps.skipMarks(end) < this.#source.text.length) throw new Declined();
    return documents;
  }

  #take(type: Event['type']): void {
    if (this.#events[this.#next]?.type !== type) throw new Declined();
    this.#next += 1;
  }

  #isEmpty(): boolean {
    const event = this.#events[this.#next];
    return event?.type === EVENT_ID.SCALAR && event.valueStart < 0;
  }

  #value(start: number, around: Around): PlainValue {
    const event = this.#events[this.#next];
    this.#next += 1;
    if (event !== undefined && 'tagStart' in event && (event.tagStart >= 0 || event.anchorStart >= 0))
      throw new Declined();
    switch (event?.type) {
      case EVENT_ID.SCALAR:
        return this.#scalar(event, start, around);
      case EVENT_ID.MAPPING:
        return event.style === COLLECTION_STYLE.FLOW
          ? this.#flow(event, start, around)
          : this.#mapping(event, start);
      case EVENT_ID.SEQUENCE:
        return event.style === COLLECTION_STYLE.FLOW
          ? this.#flow(event, start, around)
          : this.#sequence(event, start);
      default:
        throw new Declined();
    }
  }

  #scalar(event: ScalarEvent, start: number, around: Around): PlainValue {
    const { valueStart, valueEnd, style } = event;
    const { text } = this.#source;
    if (valueStart < 0) throw new Declined();
    if (style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK) {
      const end = this.#gaps.blockScalar(event, start);
      return { located: this.#text(getScalarValue(text, event), start, end), end, after: end };
    }
    const isQuoted = style !== SCALAR_STYLE.PLAIN;
    const end = isQuoted ? valueEnd + 1 : valueEnd;
    if (start !== (isQuoted ? valueStart - 1 : valueStart)) throw new Declined();
    const value = event.fast ? text.slice(valueStart, valueEnd) : this.#decoded(event);
    const located = isQuoted ? this.#text(value, start, end) : plainScalar(value, this.#range(start, end));
    return { located, end, after: around.isFlow ? end : this.#gaps.endOfLine(end) };
  }

  #decoded(event: ScalarEvent): string {
    refuseEscapes(this.#source.text.slice(event.valueStart, event.valueEnd), event.style);
    return getScalarValue(this.#source.text, event);
  }

  #text(value: string, start: number, end: number): Located {
    refuseHalfCharacter(value);
    return { type: 'scalar', value, at: this.#range(start, end) };
  }

  #mapping({ start }: MappingEvent, from: number): PlainValue {
    if (start !== from) throw new Declined();
    const column = this.#gaps.columnOf(start);
    const entries: LocatedEntry[] = [];
    let at = start;
    let end = start;
    for (;;) {
      const { key, keyAt, end: keyEnd } = this.#key({ column, isFlow: false }, at);
      const colon = this.#gaps.spaces(keyEnd);
      if (this.#source.text[colon] !== ':') throw new Declined();
      const value = this.#nested(colon + 1, { column, isFlow: false });
      entries.push({ key, keyAt, value: value.located });
      end = value.after;
      if (this.#isAtEnd()) break;
      at = this.#gaps.past(end);
      if (this.#gaps.columnOf(at) !== column || !this.#gaps.isFirstOnLine(at)) throw new Declined();
    }
    refuseTwice(entries);
    const after = this.#gaps.afterBlock(end, column);
    return { located: { type: 'map', entries, at: this.#range(start, end) }, end, after };
  }

  #nested(from: number, around: Around): PlainValue {
    if (this.#isEmpty()) return this.#nothing(from);
    const start = this.#gaps.past(from);
    const event = this.#events[this.#next];
    const isBlock =
      (event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE) &&
      event.style === COLLECTION_STYLE.BLOCK;
    const isBelow = this.#source.text.slice(from, start).includes('\n');
    // A value below its key must be indented deeper, unless it is a list. The end of a text that begins below is not certain.
    if (isBelow ? event?.type === EVENT_ID.SCALAR : isBlock) throw new Declined();
    if (isBelow && event?.type !== EVENT_ID.SEQUENCE && this.#gaps.columnOf(start) <= around.column)
      throw new Declined();
    return this.#value(start, around);
  }

  #nothing(from: number): PlainValue {
    this.#next += 1;
    const end = this.#gaps.spaces(from);
    if (this.#gaps.hasCommentAfter(end)) throw new Declined();
    return { located: { type: 'scalar', value: null, at: this.#range(end, end) }, end, after: end };
  }

  #key(around: Around, start: number): Omit<LocatedEntry, 'value'> & { readonly end: number } {
    const event = this.#events[this.#next];
    this.#next += 1;
    if (event?.type !== EVENT_ID.SCALAR || event.tagStart >= 0 || event.anchorStart >= 0)
      throw new Declined();
    const { located, end } = this.#scalar(event, start, { ...around, isFlow: true });
    refuseLongKey(start, end);
    const key = this.#source.text.slice(start, end);
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const name = isPlain ? key : located.type === 'scalar' ? located.value : undefined;
    if (typeof name !== 'string' || name === '<<') throw new Declined();
    return { key: name, keyAt: located.at, end };
  }

  #sequence({ start }: SequenceEvent, from: number): PlainValue {
    if (start !== from) throw new Declined();
    const column = this.#gaps.columnOf(start);
    const items: Located[] = [];
    let end = start;
    while (!this.#isAtEnd()) {
      const at = items.length === 0 ? start : this.#gaps.past(end);
      const isInPlace =
        items.length === 0 || (this.#gaps.columnOf(at) === column && this.#gaps.isFirstOnLine(at));
      if (this.#source.text[at] !== '-' || !isInPlace) throw new Declined();
      // A comment above an empty item decides where it ends.
      if (this.#isEmpty() && this.#source.text.slice(end, at).includes('#')) throw new Declined();
      const value = this.#item(at + 1, { column, isFlow: false });
      items.push(value.located);
      end = value.after;
    }
    const after = this.#gaps.afterBlock(end, column);
    return { located: { type: 'list', items, at: this.#range(start, end) }, end, after };
  }

  #item(from: number, around: Around): PlainValue {
    if (this.#isEmpty()) return this.#nothing(from);
    const start = this.#gaps.past(from);
    const isBelow = this.#source.text.slice(from, start).includes('\n');
    if (isBelow && this.#events[this.#next]?.type === EVENT_ID.SCALAR) throw new Declined();
    if (this.#gaps.columnOf(start) <= around.column) throw new Declined();
    return this.#value(start, around);
  }

  #flow(event: MappingEvent | SequenceEvent, from: number, around: Around): PlainValue {
    const isMap = event.type === EVENT_ID.MAPPING;
    const { text } = this.#source;
    if (event.start !== from || text[from] !== (isMap ? '{' : '[')) throw new Declined();
    const inside = { column: around.column, isFlow: true };
    const entries: LocatedEntry[] = [];
    const items: Located[] = [];
    let at = from + 1;
    while (!this.#isAtEnd()) {
      const start = this.#gaps.past(at);
      const last = isMap
        ? this.#flowEntry(start, inside, entries)
        : this.#add(items, this.#value(start, inside));
      at = this.#gaps.past(last);
      if (text[at] === ',') at += 1;
    }
    const close = this.#gaps.past(at);
    if (text[close] !== (isMap ? '}' : ']')) throw new Declined();
    const end = close + 1;
    this.#gaps.refuseShallow(from, end, around.column);
    refuseTwice(entries);
    const range = this.#range(from, end);
    const located: Located = isMap ? { type: 'map', entries, at: range } : { type: 'list', items, at: range };
    return { located, end, after: around.isFlow ? end : this.#gaps.endOfLine(end) };
  }

  #add(items: Located[], { located, end }: PlainValue): number {
    items.push(located);
    return end;
  }

  #flowEntry(start: number, inside: Around, entries: LocatedEntry[]): number {
    const { key, keyAt, end } = this.#key(inside, start);
    const colon = this.#gaps.spaces(end);
    if (this.#source.text[colon] !== ':') {
      if (!this.#isEmpty()) throw new Declined();
      this.#next += 1;
      entries.push({ key, keyAt, value: { type: 'scalar', value: null, at: keyAt } });
      return end;
    }
    const value = this.#isEmpty()
      ? this.#nothing(colon + 1)
      : this.#value(this.#gaps.past(colon + 1), inside);
    entries.push({ key, keyAt, value: value.located });
    return value.end;
  }

  /** Skips the end of the collection. */
  #isAtEnd(): boolean {
    if (this.#events[this.#next]?.type !== EVENT_ID.POP) return false;
    this.#next += 1;
    return true;
  }

  #range(from: number, to: number): SourceRange {
    const { file, lines } = this.#source;
    const start = lines.placeOf(from);
    const end = lines.placeOf(to);
    return { file, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
  }
}

/**
 * Left to `yaml`: characters that the two may treat differently; anchors, aliases and tags; directives, explicit keys, and
 * document markers that are not alone on their line.
 */
const unusual =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|(?:^|[\s,[{])[&*!?](?=\S)|^ *\?|^%|^\.\.\.|^---(?! *(?:$|#))/m;

const loneSurrogate = /\p{Surrogate}/u;

function isUnusual(text: string): boolean {
  return unusual.test(text) || loneSurrogate.test(text);
}

function refuseHalfCharacter(value: string): void {
  if (loneSurrogate.test(value)) throw new Declined();
}

/** Below the limit at which `yaml` reports an error. */
const maxPlainDepth = 100;

/** Shorter than keys that `yaml` refuses. */
const maxKeyLength = 500;

function refuseLongKey(start: number, end: number): void {
  if (end - start > maxKeyLength) throw new Declined();
}

function refuseEscapes(written: string, style: ScalarEvent['style']): void {
  if (style === SCALAR_STYLE.PLAIN || written.includes('\n')) throw new Declined();
  if (style !== SCALAR_STYLE.DOUBLE_QUOTED) return;
  if (/\\(?!["/nrt]|u[\dA-Fa-f]{4})/.test(written.replaceAll('\\\\', ''))) throw new Declined();
}

/** Few keys are compared pairwise; many need a set. */
const few = 8;

function refuseTwice(entries: readonly LocatedEntry[]): void {
  const isTwice =
    entries.length <= few
      ? entries.some(({ key }, at) => entries.findIndex((other) => other.key === key) < at)
      : new Set(entries.map(({ key }) => key)).size < entries.length;
  if (isTwice) throw new Declined();
}

const decimal = /^[-+]?(?:\d+|\.\d+|\d+\.\d*|(?:\.\d+|\d+(?:\.\d*)?)[eE][-+]?\d+)$/;
/** Octal and hexadecimal numbers, and those that JSON does not have. */
const rare = /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;
const mayBeOther = /^[-+.\d~nNtTfF]/;

/** Longer numbers are rounded, which is left to one reader. */
const maxDigits = 15;

function plainScalar(written: string, at: SourceRange): Located {
  if (!mayBeOther.test(written)) return { type: 'scalar', value: written, at };
  switch (written) {
    case '~':
    case 'null':
    case 'Null':
    case 'NULL':
      return { type: 'scalar', value: null, at };
    case 'true':
    case 'True':
    case 'TRUE':
      return { type: 'scalar', value: true, at, written };
    case 'false':
    case 'False':
    case 'FALSE':
      return { type: 'scalar', value: false, at, written };
    default:
      return numberOrText(written, at);
  }
}

function numberOrText(written: string, at: SourceRange): Located {
  if (rare.test(written)) throw new Declined();
  if (!decimal.test(written)) return { type: 'scalar', value: written, at };
  if (written.length > maxDigits) throw new Declined();
  const value = Number(written);
  if (!Number.isFinite(value)) throw new Declined();
  return { type: 'scalar', value, at, written };
}

export interface PlainSource {
  readonly file: string;
  readonly text: string;
  readonly lines: LineTable;
}

class Declined extends Error {}

/** For a text without tabs and carriage returns. Offsets and columns count from 0. */
class Gaps {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  spaces(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) === 0x20) at += 1;
    return at;
  }

  /** Past spaces, line breaks and comments. */
  past(from: number): number {
    const text = this.#text;
    let at = from;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 0x20 || code === 0x0a) at += 1;
      else if (code === 0x23 && this.#isApart(at)) at = this.#lineEnd(at);
      else return at;
    }
  }

  /** Also past document markers. */
  skipMarks(from: number): number {
    let at = this.past(from);
    while (this.#text.startsWith('---', at) && this.columnOf(at) === 0) at = this.past(at + 3);
    return at;
  }

  columnOf(at: number): number {
    return at === 0 ? 0 : at - (this.#text.lastIndexOf('\n', at - 1) + 1);
  }

  isFirstOnLine(at: number): boolean {
    return this.spaces(at - this.columnOf(at)) === at;
  }

  /** Past a comment on the line of a value, and the line break. */
  endOfLine(end: number): number {
    let at = this.spaces(end);
    if (this.#text.charCodeAt(at) === 0x23) {
      if (!this.#isApart(at)) throw new Declined();
      at = this.#lineEnd(at);
    }
    return this.#text.charCodeAt(at) === 0x0a ? at + 1 : at;
  }

  /** Comments below a collection without brackets, at its indentation, belong to it, with everything up to the next value. */
  afterBlock(end: number, column: number): number {
    const next = this.past(end);
    let stays = false;
    for (let at = end; at < next; at = this.#lineEnd(at) + 1) {
      const start = this.spaces(at);
      if (this.#text.charCodeAt(start) !== 0x23) continue;
      const own = this.columnOf(start);
      // The parent of a deeper value depends on more than is checked here.
      if (own > column) throw new Declined();
      stays ||= own === column && column > 0;
    }
    return stays ? next : end;
  }

  hasCommentAfter(end: number): boolean {
    return this.#text.slice(end, this.past(end)).includes('#');
  }

  /** Brackets over several lines must be indented deeper than what is around them. */
  refuseShallow(start: number, end: number, column: number): void {
    for (
      let at = this.#text.indexOf('\n', start);
      at >= 0 && at < end;
      at = this.#text.indexOf('\n', at + 1)
    ) {
      const first = this.spaces(at + 1);
      if (this.#text.charCodeAt(first) !== 0x0a && first - at - 1 <= column) throw new Declined();
    }
  }

  blockScalar({ valueStart, valueEnd, chomping, indent }: ScalarEvent, start: number): number {
    const header = this.#text.slice(start, valueStart);
    const content = this.#text.slice(valueStart, valueEnd);
    const trimmed = content.replace(/\n+$/, '\n');
    const isOrdinary = /^[|>]-?\n$/.test(header) && chomping !== CHOMPING_MODE.KEEP && indent > 0;
    // Lines of spaces at the end, or without any text, are read differently.
    if (!isOrdinary || !content.endsWith('\n') || /(?:^|\n) +\n/.test(content)) throw new Declined();
    return valueStart + trimmed.length;
  }

  #isApart(at: number): boolean {
    const before = this.#text.charCodeAt(at - 1);
    return at === 0 || before === 0x20 || before === 0x0a;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end;
  }
}

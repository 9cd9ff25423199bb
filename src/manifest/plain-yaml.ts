/**
 * Ordinary YAML → located values, several times faster than `yaml` reads it. It declines every text that it is not certain to
 * read as `yaml` does, broken ones among them: values, places and messages never depend on which of the two read a file.
 */
import {
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
import type { Located, LocatedEntry } from './located.ts';
import { Declined, Gaps, type PlainSource } from './plain-gaps.ts';
import {
  isUnusual,
  maxPlainDepth,
  refuseEscapes,
  refuseHalfCharacter,
  refuseLongKey,
  refuseTwice,
} from './plain-limits.ts';
import { KeyNames, plainScalar } from './plain-scalar.ts';

/** The documents of a text, without empty ones; undefined where the text is to be read by `yaml`. */
export function readPlainYaml(source: PlainSource): readonly Located[] | undefined {
  const { text } = source;
  if (isUnusual(text)) return undefined;
  try {
    return new PlainReader(source, parseEvents(text, { maxDepth: maxPlainDepth })).read();
  } catch {
    // Whatever is wrong with it, `yaml` says what and where.
    return undefined;
  }
}

/** A value, and what the values around it must know of its end. Lists in it are copied: growing ones keep room to grow. */
interface PlainValue {
  readonly located: Located;
  /** Where it ends itself. */
  readonly end: number;
  /** Where what belongs to it ends: a comment on its line and the line break, for example. */
  readonly after: number;
}

/** The collection around a value: its column, and whether it has brackets. */
interface Around {
  readonly column: number;
  readonly isFlow: boolean;
}

class PlainReader {
  readonly #source: PlainSource;
  readonly #events: readonly Event[];
  readonly #gaps: Gaps;
  #next = 0;
  readonly #keys = new KeyNames();

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

  /** The next value. `start`: where it is, unless there is none. */
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

  /** A quoted text on one line, with escapes that have one meaning. */
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
    return { located: { type: 'map', entries: entries.slice(), at: this.#range(start, end) }, end, after };
  }

  /** What is behind a colon of a block mapping. */
  #nested(from: number, around: Around): PlainValue {
    if (this.#isEmpty()) return this.#nothing(from);
    const start = this.#gaps.past(from);
    const event = this.#events[this.#next];
    const isBlock =
      (event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE) &&
      event.style === COLLECTION_STYLE.BLOCK;
    const isBelow = this.#source.text.slice(from, start).includes('\n');
    // What is not on the line of its key must be indented deeper; only lists need not. Where a text begins below, its end is
    // not certain.
    if (isBelow ? event?.type === EVENT_ID.SCALAR : isBlock) throw new Declined();
    if (isBelow && event?.type !== EVENT_ID.SEQUENCE && this.#gaps.columnOf(start) <= around.column)
      throw new Declined();
    return this.#value(start, around);
  }

  /** An empty value: null, at the place where one could be written. */
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
    return { key: this.#keys.of(name), keyAt: located.at, end };
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
      // An empty item ends where a comment above it says.
      if (this.#isEmpty() && this.#source.text.slice(end, at).includes('#')) throw new Declined();
      const value = this.#item(at + 1, { column, isFlow: false });
      items.push(value.located);
      end = value.after;
    }
    const after = this.#gaps.afterBlock(end, column);
    return { located: { type: 'list', items: items.slice(), at: this.#range(start, end) }, end, after };
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
    const located: Located = isMap
      ? { type: 'map', entries: entries.slice(), at: range }
      : { type: 'list', items: items.slice(), at: range };
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

  /** True, and past it, where the collection ends. */
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

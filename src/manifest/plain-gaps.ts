/** What is between the values of a YAML text: spaces, line breaks, comments and marks of documents. */
import { CHOMPING_MODE, type ScalarEvent } from 'js-yaml';
import type { LineTable } from './line-table.ts';

/** A text, and where it is from. */
export interface PlainSource {
  readonly file: string;
  readonly text: string;
  readonly lines: LineTable;
}

/** A text is not to be read in the fast way. Never leaves the reader. */
export class Declined extends Error {}

/** The gaps of one text without tabs and carriage returns. Offsets count from 0, columns too. */
export class Gaps {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Past the spaces. */
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

  /** The same, and past marks of documents. */
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

  /**
   * Where a collection without brackets ends for those around it: comments below it that are indented as it is belong to it,
   * with all up to the next value.
   */
  afterBlock(end: number, column: number): number {
    const next = this.past(end);
    let stays = false;
    for (let at = end; at < next; at = this.#lineEnd(at) + 1) {
      const start = this.spaces(at);
      if (this.#text.charCodeAt(start) !== 0x23) continue;
      const own = this.columnOf(start);
      // To which value a deeper one belongs depends on more than is looked at here.
      if (own > column) throw new Declined();
      stays ||= own === column && column > 0;
    }
    return stays ? next : end;
  }

  /** True where a comment comes before the next value. */
  hasCommentAfter(end: number): boolean {
    return this.#text.slice(end, this.past(end)).includes('#');
  }

  /** Refuses brackets over several lines that are not indented deeper than what is around them. */
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

  /** The end of a text in lines of its own, `|` or `>`; `start` is where that is. */
  blockScalar({ valueStart, valueEnd, chomping, indent }: ScalarEvent, start: number): number {
    const header = this.#text.slice(start, valueStart);
    const content = this.#text.slice(valueStart, valueEnd);
    const trimmed = content.replace(/\n+$/, '\n');
    const isOrdinary = /^[|>]-?\n$/.test(header) && chomping !== CHOMPING_MODE.KEEP && indent > 0;
    // Lines of spaces at the end, or none with text, are read differently.
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

/** Lines and columns of offsets in a text, from the text itself: a parser that recovers from errors may restart its line count. */

/** A place in a text; both start at 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where the lines of one text begin. */
export class LineTable {
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /** The place of an offset; the end of the text counts as its last line. */
  placeOf(offset: number): TextPosition {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }

  /** The offset of a place, or NaN where there is no such line. */
  offsetOf({ line, column }: TextPosition): number {
    return (this.#starts[line - 1] ?? Number.NaN) + column - 1;
  }
}

/** Computes lines and columns from the text itself: a parser that recovers from errors may restart its line count. */

/** Both start at 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export class LineTable {
  readonly #starts: readonly number[];
  /** Cached, because the next offset is usually near. */
  #last = 0;

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /** The end of the text counts as its last line. */
  placeOf(offset: number): TextPosition {
    if (!this.#isOn(this.#last, offset))
      this.#last = this.#isOn(this.#last + 1, offset) ? this.#last + 1 : this.#find(offset);
    return { line: this.#last + 1, column: offset - (this.#starts[this.#last] ?? 0) + 1 };
  }

  #isOn(line: number, offset: number): boolean {
    const start = this.#starts[line];
    return (
      start !== undefined && start <= offset && offset < (this.#starts[line + 1] ?? Number.POSITIVE_INFINITY)
    );
  }

  #find(offset: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns NaN if the line does not exist. */
  offsetOf({ line, column }: TextPosition): number {
    return (this.#starts[line - 1] ?? Number.NaN) + column - 1;
  }
}

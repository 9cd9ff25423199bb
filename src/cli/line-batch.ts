/** Lines that come one by one and are written together: a write of its own for each line takes longer than what it tells of. */

/** Milliseconds that a line waits for others. */
const delay = 100;

/** Gathers lines for a moment. Whoever writes elsewhere flushes first, so that lines stay in order. */
export class LineBatch {
  readonly #write: (lines: string) => void;
  #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  /** Takes a line, without its end. */
  add(line: string): void {
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => this.flush(), delay);
  }

  /** Writes what was gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const lines = this.#lines.join('\n');
    this.#lines = [];
    this.#write(lines);
  }
}

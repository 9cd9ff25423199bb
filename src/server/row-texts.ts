/**
 * The texts of rows that were read lately, so that those that every request needs (its token, its organization, its caller) are not
 * asked of the database each time. The store belongs to one process, which tells of every row that it changes.
 */

/** Rows that are kept, at most. */
const rowsAtMost = 4000;
/** Characters of a row that is kept, at most; contents are larger, and read rarely. */
const lengthAtMost = 4096;

/** Texts by kind and id; the oldest makes room for a new one. */
export class RowTexts {
  readonly #texts = new Map<string, string>();

  /** The text of a row, where it is kept. */
  get(kind: string, id: string): string | undefined {
    return this.#texts.get(`${kind} ${id}`);
  }

  /** Keeps the text of a row. */
  keep(kind: string, id: string, text: string): void {
    if (text.length > lengthAtMost) return;
    if (this.#texts.size >= rowsAtMost) {
      for (const oldest of this.#texts.keys()) {
        this.#texts.delete(oldest);
        break;
      }
    }
    this.#texts.set(`${kind} ${id}`, text);
  }

  /** Forgets a row that changes. */
  drop(kind: string, id: string): void {
    this.#texts.delete(`${kind} ${id}`);
  }

  /** Forgets all rows. */
  clear(): void {
    this.#texts.clear();
  }
}

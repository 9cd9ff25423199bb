/** Who waits for a turn. Taking one costs the same however many wait. */

type Wake = () => void;

/** Those who wait, in the order in which they get their turns. */
export class Waiting {
  /** Those before all others; the last one to come is the next. */
  readonly #first: Wake[] = [];
  #queue: Wake[] = [];
  #taken = 0;

  addFirst(wake: Wake): void {
    this.#first.push(wake);
  }

  addLast(wake: Wake): void {
    this.#queue.push(wake);
  }

  /** The next one; undefined where nobody waits. */
  take(): Wake | undefined {
    const urgent = this.#first.pop();
    if (urgent !== undefined) return urgent;
    const next = this.#queue[this.#taken];
    if (next === undefined) {
      this.#queue = [];
      this.#taken = 0;
      return undefined;
    }
    this.#taken += 1;
    return next;
  }
}

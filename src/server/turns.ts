/**
 * One request after the other, each in a turn of the event loop of its own: between two, new connections are accepted and
 * others are read. Without it, a busy service accepts one connection for all the requests that are waiting.
 */

/** Requests that wait for their turn, first come first served. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn; what it does before its next await is done in it. */
  next(): Promise<void> {
    return new Promise((turn) => {
      this.#waiting.push(turn);
      if (this.#waiting.length === 1) setImmediate(() => this.#give());
    });
  }

  #give(): void {
    this.#waiting[0]?.();
    this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#give());
  }
}

/**
 * Requests by turns, each turn in one round of the event loop: between two, new connections are accepted and others are read.
 * Without it, a busy service accepts one connection for all the requests that are waiting. While requests are quick, a turn takes
 * several: a round of the loop costs more than such a request.
 */

/** Requests of a turn, at most. */
const mostAtOnce = 16;
/** Milliseconds that a turn may take and be followed by a larger one. */
const quick = 4;

/** Requests that wait for their turn, first come first served. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #now: () => number;
  #atOnce = 1;

  /** `now`: milliseconds of a clock that only goes forward. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Resolves when it is the caller's turn; what it does before its next await is done in it. */
  next(): Promise<void> {
    return new Promise((turn) => {
      this.#waiting.push(turn);
      if (this.#waiting.length === 1) setImmediate(() => this.#give());
    });
  }

  #give(): void {
    const started = this.#now();
    const taken = Math.min(this.#atOnce, this.#waiting.length);
    for (const turn of this.#waiting.slice(0, taken)) turn();
    // What was given its turn is done with it before this runs.
    queueMicrotask(() => setImmediate(() => this.#goOn(started, taken)));
  }

  #goOn(started: number, taken: number): void {
    this.#waiting.splice(0, taken);
    this.#atOnce = this.#now() - started < quick ? Math.min(mostAtOnce, this.#atOnce * 2) : 1;
    if (this.#waiting.length > 0) this.#give();
  }
}

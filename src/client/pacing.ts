/**
 * How many requests may be in flight at once: fewer as soon as the service pushes back, one more after each full round
 * of successes (additive increase, multiplicative decrease). Knows nothing of requests themselves.
 */

/** What pacing needs from outside. */
export interface Clock {
  /** Milliseconds; only differences count, except for dates in Retry-After. */
  readonly now: () => number;
  /** Waits; ends early, without an error, when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** Hands out permissions to send, at most as many at once as the service seems to bear. */
export class Pacer {
  readonly #clock: Clock;
  readonly #max: number;
  #limit: number;
  #underWay = 0;
  #pausedUntil = 0;
  /** Requests that started before this did not know of the last pushback and say nothing new. */
  #lastCut = Number.NEGATIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number, clock: Clock) {
    this.#max = Math.max(1, max);
    this.#limit = this.#max;
    this.#clock = clock;
  }

  /** How many requests may be in flight now. */
  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** Waits for a turn, then gives the time at which it came. Ends without a turn when the signal is aborted. */
  async enter(signal: AbortSignal): Promise<number> {
    while (this.#underWay >= this.limit) {
      await this.#turn(signal);
      if (signal.aborted) {
        // A turn that cannot be used is somebody else's.
        this.#wake();
        break;
      }
    }
    this.#underWay += 1;
    const pause = this.#pausedUntil - this.#clock.now();
    if (pause > 0 && !signal.aborted) await this.#clock.sleep(pause, signal);
    return this.#clock.now();
  }

  /** Gives the turn back. */
  leave(): void {
    this.#underWay -= 1;
    this.#wake();
  }

  /** A response came in good order. */
  succeeded(): void {
    if (this.#limit >= this.#max) return;
    this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
    this.#wake();
  }

  /** The service asks for less: half as many at once, and nothing new for a while where it says how long. */
  pushedBack(startedAt: number, pause: number): void {
    const now = this.#clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
    if (startedAt < this.#lastCut) return;
    this.#lastCut = now;
    this.#limit = Math.max(1, this.#limit / 2);
  }

  #wake(): void {
    if (this.#underWay < this.limit) this.#waiting.shift()?.();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        const place = this.#waiting.indexOf(wake);
        if (place >= 0) this.#waiting.splice(place, 1);
        resolve();
      };
      if (signal.aborted) {
        resolve();
        return;
      }
      this.#waiting.push(wake);
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}

/**
 * When a request may be sent: how many may be in flight, fewer as soon as the service pushes back, one more after each
 * full round of successes (additive increase, multiplicative decrease); and how many a second. Knows nothing of requests
 * themselves. One controller serves reads and writes.
 */
import { Rate } from './rate.ts';

/** What pacing needs from outside. */
export interface Clock {
  /** Milliseconds; only differences count, except for dates in Retry-After. */
  readonly now: () => number;
  /** Waits; ends early, without an error, when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** Bounds of a pacer. */
export interface PaceLimits {
  /** Requests in flight, at most. */
  readonly concurrency: number;
  /** Requests within any second, at most; unlimited where it is absent. */
  readonly perSecond?: number | undefined;
}

/** What holds requests back; undefined parts do not. */
export interface Pace {
  /** Time until which nothing is sent because the service asked for that. */
  readonly pausedUntil?: number;
  /** Requests a second, where some wait because of that. */
  readonly perSecond?: number;
  /** Who limits it. */
  readonly limitedBy?: 'service' | 'user';
}

/** Why the service wants less: too many requests in a time, or more work than it can bear. */
export type Pushback = 'rate' | 'load';

/** What can be sent at once after a while of nothing, in milliseconds of the rate: makes up for timers that are late. */
const slack = 5;
/** Milliseconds after which requests that were kept waiting say nothing of the present. */
const heldFor = 2000;

/** Hands out permissions to send, at most as many as the service seems to bear. */
export class Pacer {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #perSecond: number;
  readonly #rate = new Rate();
  #limit: number;
  #underWay = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** When the next request is due, at the rate of the moment. */
  #due = Number.NEGATIVE_INFINITY;
  /** Until when a request was last kept waiting for its time. */
  #heldAt = Number.NEGATIVE_INFINITY;
  /** When the last ones were sent, oldest first; as many as may be sent in a second. */
  readonly #recent: number[] = [];
  /** Requests that started before this did not know of the last pushback and say nothing new. */
  #lastCut = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Waiting();
  readonly #signals = new WeakSet<AbortSignal>();
  /** Ends when the one before has its time: they are given out one after the other. */
  #gate: Promise<unknown> = Promise.resolve();

  constructor({ concurrency, perSecond }: PaceLimits, clock: Clock) {
    this.#max = Math.max(1, concurrency);
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY;
    this.#limit = this.#max;
    this.#clock = clock;
  }

  /** How many requests may be in flight now. */
  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** What holds requests back now. */
  get pace(): Pace {
    const now = this.#clock.now();
    const learned = this.#rate.at(now);
    const perSecond = Math.min(learned, this.#perSecond);
    const isHeld = Number.isFinite(perSecond) && now - this.#heldAt < heldFor;
    return {
      ...(this.#pausedUntil > now ? { pausedUntil: this.#pausedUntil } : {}),
      ...(isHeld
        ? { perSecond, limitedBy: learned < this.#perSecond ? ('service' as const) : ('user' as const) }
        : {}),
    };
  }

  /**
   * Waits for a turn, then gives the time at which it came. Ends without a turn when the signal is aborted.
   *
   * @param order `first`: before those who wait already, for requests that had a turn before.
   */
  async enter(signal: AbortSignal, order: 'first' | 'last' = 'last'): Promise<number> {
    while (this.#underWay >= this.limit) {
      await this.#turn(signal, order);
      if (signal.aborted) {
        // A turn that cannot be used is somebody else's.
        this.#wake();
        break;
      }
    }
    this.#underWay += 1;
    const sent = this.#gate.then(() => this.#send(signal));
    this.#gate = sent;
    return sent;
  }

  /** Gives the turn back. */
  leave(): void {
    this.#underWay -= 1;
    this.#wake();
  }

  /** The service dealt with a request that was sent at that time. */
  succeeded(startedAt: number): void {
    this.#rate.took(startedAt);
    if (this.#limit >= this.#max) return;
    this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
    this.#wake();
  }

  /** The service asks for less: half as many at once, and nothing new for a while where it says how long. */
  pushedBack(startedAt: number, { by, pause }: { readonly by: Pushback; readonly pause: number }): void {
    const now = this.#clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
    if (startedAt <= this.#lastCut) return;
    this.#lastCut = now;
    this.#limit = Math.max(1, this.#limit / 2);
    if (by === 'rate') this.#rate.pushedBack(now, Math.max(now, this.#pausedUntil));
  }

  /** Waits until the next request may go, and counts it. */
  async #send(signal: AbortSignal): Promise<number> {
    const { now, sleep } = this.#clock;
    // A clock that stands still while it sleeps, as in tests, must not keep anybody waiting.
    let at = now();
    for (let next = this.#next(); next > at && !signal.aborted; next = this.#next()) {
      this.#heldAt = next;
      await sleep(next - at, signal);
      at = Math.max(now(), next);
    }
    const perSecond = Math.min(this.#rate.at(at), this.#perSecond);
    const interval = 1000 / perSecond;
    this.#due = Math.max(this.#due, at - Math.max(0, slack - interval)) + interval;
    if (Number.isFinite(this.#perSecond)) {
      this.#recent.push(at);
      if (this.#recent.length > this.#perSecond) this.#recent.shift();
    }
    return now();
  }

  /** When the next request may go. */
  #next(): number {
    const [oldest = Number.NEGATIVE_INFINITY] = this.#recent;
    const full = this.#recent.length >= this.#perSecond ? oldest + 1000 : Number.NEGATIVE_INFINITY;
    return Math.max(this.#pausedUntil, this.#due, full);
  }

  #wake(): void {
    if (this.#underWay < this.limit) this.#waiting.take()?.();
  }

  #turn(signal: AbortSignal, order: 'first' | 'last'): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    this.#listen(signal);
    return new Promise((resolve) => {
      if (order === 'first') this.#waiting.addFirst(resolve);
      else this.#waiting.addLast(resolve);
    });
  }

  /** One listener for all who wait: a thousand of them would each be looked for in a list of a thousand. */
  #listen(signal: AbortSignal): void {
    if (this.#signals.has(signal)) return;
    this.#signals.add(signal);
    signal.addEventListener(
      'abort',
      () => {
        for (let wake = this.#waiting.take(); wake !== undefined; wake = this.#waiting.take()) wake();
      },
      { once: true },
    );
  }
}

type Wake = () => void;

/** Those who wait, in the order in which they get their turns. */
class Waiting {
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

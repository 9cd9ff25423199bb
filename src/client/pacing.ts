/**
 * Decides when a request may be sent. Limits the requests in flight (halved when the service pushes back, one more after
 * each full round of successes: additive increase, multiplicative decrease), the requests per second, and the requests in
 * a time window that the service announces. One controller serves reads and writes.
 */

export interface Clock {
  /** Unit: milliseconds. Only differences matter, except for dates in Retry-After. */
  readonly now: () => number;
  /** Returns early, without an error, when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Range: 0 to 1. */
  readonly random: () => number;
}

export interface PaceLimits {
  readonly concurrency: number;
  readonly perSecond?: number | undefined;
}

/** Current limits; undefined parts do not limit. */
export interface Pace {
  readonly pausedUntil?: number;
  readonly perSecond?: number;
  readonly limitedBy?: 'service' | 'user';
}

/** `rate`: too many requests per time; `load`: too much work; `moment`: retry immediately, so the rate is not to blame. */
export type Pushback = 'rate' | 'load' | 'moment';

/** The time window that a response reports for its request. */
export interface WindowReport {
  readonly limit: number;
  readonly left: number;
  readonly endsInMs?: number;
  readonly isRejection: boolean;
}

/** Length of a permitted burst after an idle time, in milliseconds at the current rate. Compensates for late timers. */
const slack = 5;
/** Unit: milliseconds. Afterwards a delayed request no longer counts as current. */
const heldFor = 2000;

export class Pacer {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #perSecond: number;
  readonly #rate = new Rate();
  #limit: number;
  #underWay = 0;
  /** Requests that have a turn and were sent. */
  #inFlight = 0;
  readonly windows = new Windows();
  /** The full window that the next request waits for; a response may free space in it. */
  #full: { readonly window: Window; readonly wait: AbortController } | undefined;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #due = Number.NEGATIVE_INFINITY;
  /** Last time at which a request was delayed. */
  #heldAt = Number.NEGATIVE_INFINITY;
  /** Send times, oldest first. Holds as many as may be sent in a second. */
  readonly #recent: number[] = [];
  /** A request that started before this time did not know of the last pushback. */
  #lastCut = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Waiting();
  readonly #signals = new WeakSet<AbortSignal>();
  /** Resolves when the previous request has its send time: times are assigned one after the other. */
  #gate: Promise<unknown> = Promise.resolve();

  constructor({ concurrency, perSecond }: PaceLimits, clock: Clock) {
    this.#max = Math.max(1, concurrency);
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY;
    this.#limit = this.#max;
    this.#clock = clock;
  }

  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  get pace(): Pace {
    const now = this.#clock.now();
    const learned = this.#rate.current;
    const perSecond = Math.min(learned, this.#perSecond);
    const isHeld = Number.isFinite(perSecond) && now - this.#heldAt < heldFor;
    const window = this.#full?.window;
    const pausedUntil = Math.max(this.#pausedUntil, window?.left === 0 ? window.endsAt : 0);
    return {
      ...(pausedUntil > now ? { pausedUntil } : {}),
      ...(isHeld
        ? { perSecond, limitedBy: learned < this.#perSecond ? ('service' as const) : ('user' as const) }
        : {}),
    };
  }

  /**
   * Waits for a turn and returns its time. Returns without a turn when the signal is aborted.
   *
   * @param order `first`: ahead of all waiting requests, for requests that already had a turn.
   */
  async enter(signal: AbortSignal, order: 'first' | 'last' = 'last', operation = ''): Promise<number> {
    while (this.#underWay >= this.limit) {
      await this.#turn(signal, order);
      if (signal.aborted) {
        // Pass the unusable turn to the next request.
        this.#wake();
        break;
      }
    }
    this.#underWay += 1;
    const sent = this.#gate.then(() => this.#send(operation, signal));
    this.#gate = sent;
    return sent;
  }

  leave(): void {
    this.#underWay -= 1;
    this.#inFlight -= 1;
    this.#full?.wait.abort();
    this.#wake();
  }

  succeeded(startedAt: number): void {
    this.#rate.took(startedAt);
    if (this.#limit >= this.#max) return;
    this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
    this.#wake();
  }

  /** Call when the service asks for less: allows fewer requests in flight, and none during the given pause. */
  pushedBack(startedAt: number, { by, pause }: { readonly by: Pushback; readonly pause: number }): void {
    const now = this.#clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
    if (startedAt <= this.#lastCut) return;
    this.#lastCut = now;
    this.#limit = Math.max(1, this.#limit * (by === 'moment' ? 0.75 : 0.5));
    if (by === 'rate') this.#rate.pushedBack(now, Math.max(now, this.#pausedUntil));
  }

  async #send(operation: string, signal: AbortSignal): Promise<number> {
    const { now, sleep } = this.#clock;
    // A clock that does not advance during sleep, as in tests, must not block a request.
    let at = now();
    for (;;) {
      const paced = this.#next();
      const window = paced > at ? undefined : this.windows.full(operation, at, this.#inFlight);
      const next = window?.endsAt ?? paced;
      if (next <= at || signal.aborted) break;
      if (window === undefined) this.#heldAt = next;
      else {
        this.#listen(signal);
        this.#full = { window, wait: new AbortController() };
      }
      const wait = this.#full?.wait.signal;
      await sleep(next - at, wait ?? signal);
      this.#full = undefined;
      at = wait?.aborted ? now() : Math.max(now(), next);
    }
    this.#inFlight += 1;
    const perSecond = Math.min(this.#rate.current, this.#perSecond);
    const interval = 1000 / perSecond;
    this.#due = Math.max(this.#due, at - Math.max(0, slack - interval)) + interval;
    if (Number.isFinite(this.#perSecond)) {
      this.#recent.push(at);
      if (this.#recent.length > this.#perSecond) this.#recent.shift();
    }
    return now();
  }

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
    return new Promise((resolve) => this.#waiting.add(resolve, order));
  }

  /** Adds one listener for all requests: removing one of a thousand listeners takes a linear search. */
  #listen(signal: AbortSignal): void {
    if (this.#signals.has(signal)) return;
    this.#signals.add(signal);
    signal.addEventListener(
      'abort',
      () => {
        this.#full?.wait.abort();
        for (let wake = this.#waiting.take(); wake !== undefined; wake = this.#waiting.take()) wake();
      },
      { once: true },
    );
  }
}

type Wake = () => void;

/** Waiting requests, in the order of their turns. */
class Waiting {
  /** Served before the queue; the last one added is next. */
  readonly #first: Wake[] = [];
  #queue: Wake[] = [];
  #taken = 0;

  add(wake: Wake, order: 'first' | 'last'): void {
    (order === 'first' ? this.#first : this.#queue).push(wake);
  }

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

interface Window {
  readonly limit: number;
  left: number;
  endsAt: number;
  /** True if no response reported this window; the next report replaces it. */
  readonly isGuess: boolean;
}

/** Unit: milliseconds. Responses may differ this much about the end of one window: dates have whole seconds. */
const sameEnd = 2000;
/** Unit: milliseconds. For longer waits the latest end is used, since one more second hardly matters. */
const longWait = 10_000;
/** Unit: milliseconds. After this time, one more request probes a window without a response. */
const patience = 1000;

/** Windows by their limit, because the service does not report which operations share one. */
class Windows {
  readonly #windows = new Map<number | undefined, Window>();
  readonly #limits = new Map<string, number | undefined>();
  /** Limit for operations without a response yet. */
  #latest: number | undefined;

  full(operation: string, now: number, inFlight: number): Window | undefined {
    const limit = this.#limits.has(operation) ? this.#limits.get(operation) : this.#latest;
    let window = this.#windows.get(limit);
    if (window !== undefined && now >= window.endsAt) {
      // After a full window, one request probes it first: windows may slide, and other clients may share them.
      const left = window.left <= inFlight ? inFlight + 1 : window.limit;
      window = { limit: window.limit, left, endsAt: now + patience, isGuess: true };
      this.#windows.set(limit, window);
    }
    return window !== undefined && window.left <= inFlight ? window : undefined;
  }

  /**
   * Records the window that a response reported, if any. Requests never wait for a window that ends later than in `longest`.
   *
   * @returns milliseconds until the window ends, if known.
   */
  reported(
    operation: string,
    report: WindowReport | undefined,
    { now, longest }: { readonly now: number; readonly longest: number },
  ): number | undefined {
    this.#limits.set(operation, report?.limit);
    if (report === undefined) return undefined;
    const { limit, left, isRejection } = report;
    this.#latest = limit;
    const known = this.#windows.get(limit);
    const wait = report.endsInMs ?? (known && Math.max(patience, known.endsAt - now));
    if (wait === undefined || wait > longest) {
      this.#windows.delete(limit);
      return wait;
    }
    const endsAt = now + wait;
    if (isRejection || !known || known.isGuess || now >= known.endsAt || endsAt > known.endsAt + sameEnd) {
      this.#windows.set(limit, { limit, left, endsAt, isGuess: false });
    } else if (endsAt >= known.endsAt - sameEnd) {
      known.left = Math.min(known.left, left);
      known.endsAt = (wait < longWait ? Math.min : Math.max)(known.endsAt, endsAt);
    }
    return wait;
  }
}

/** Shortest sample that shows the service's rate; a shorter one may be a permitted burst. */
const shortestSample = 500;
/** Older requests were sent more slowly, so they do not show the rate. */
const longestSample = 3000;

/** Lowest first guess, in requests per second. */
const leastGuess = 10;
/** Lower limit of the rate. A longer Retry-After is a separate pause. */
const leastRate = 1;

/**
 * How the rate recovers after a cut: from `1 - depth` of the known rate back to it during the successes of `seconds` seconds at
 * that rate, then above it. Elapsed time alone does not raise it.
 */
interface Recovery {
  readonly depth: number;
  readonly seconds: number;
}

/** A guess halves the rate and recovers soon. */
const afterGuess: Recovery = { depth: 0.5, seconds: 5 };
/** A measurement cuts the rate slightly below the service's limit, and the rate recovers slowly. */
const afterMeasurement: Recovery = { depth: 0.05, seconds: 10 };

class Rate {
  /** Known rate of the service, in requests per second. */
  #known = Number.POSITIVE_INFINITY;
  #recovery = afterGuess;
  /** Time of the cut, or of the first requests after it. */
  #cutAt = Number.NEGATIVE_INFINITY;
  #sampleFrom: number | undefined;
  /** Send times of accepted requests since the sample began, oldest first. */
  #taken: number[] = [];
  #successes = 0;

  /** The allowed rate: stays near the known rate for a while, then grows faster and faster. */
  get current(): number {
    if (this.#known === Number.POSITIVE_INFINITY) return this.#known;
    const { depth, seconds } = this.#recovery;
    const recovered = this.#successes / (this.#known * seconds);
    return Math.max(leastRate, this.#known * (1 + depth * (recovered - 1) ** 3));
  }

  took(startedAt: number): void {
    this.#sampleFrom ??= startedAt;
    if (startedAt < this.#sampleFrom) return;
    this.#successes += 1;
    this.#taken.push(startedAt);
    if (this.#taken.length > 20_000) this.#taken = this.#taken.slice(-10_000);
  }

  /** Call when the service rejected a request at time `now`; no request is sent before `resumeAt`. */
  pushedBack(now: number, resumeAt: number): void {
    // A pushback right after a cut has the same cause.
    if (now - this.#cutAt < shortestSample && resumeAt - now < shortestSample) return;
    const { current } = this;
    const from = Math.max(this.#sampleFrom ?? now, now - longestSample);
    const elapsed = now - from;
    const measured = (this.#taken.filter((at) => at >= from).length * 1000) / Math.max(100, elapsed);
    const isFirst = current === Number.POSITIVE_INFINITY;
    const isMeasured = elapsed >= shortestSample && !isFirst;
    // After a slow climb, the service's limit is only slightly below the current rate.
    const least = elapsed >= longestSample ? 0.9 : 0.5;
    this.#known = isFirst
      ? Math.max(leastGuess, measured)
      : Math.max(least * current, Math.min(0.97 * current, isMeasured ? measured : 0));
    this.#recovery = isMeasured ? afterMeasurement : afterGuess;
    this.#cutAt = resumeAt;
    this.#sampleFrom = resumeAt;
    this.#taken = [];
    this.#successes = 0;
  }
}

/**
 * How many requests a second the service takes, learned from its pushback: what it took just before. Pure: the time is
 * handed in, in milliseconds.
 */

/** Shortest time that shows how much the service takes; what is shorter may be a burst that it allows. */
const shortestSample = 500;
/** What was taken longer ago was sent more slowly, and shows nothing. */
const longestSample = 3000;

/** Requests a second that the first guess is never below. */
const leastGuess = 10;

/** How the rate comes back after it was cut: from `1 - depth` of the known rate up to it in `milliseconds`, then above it. */
interface Recovery {
  readonly depth: number;
  readonly milliseconds: number;
}

/** After a guess: half as fast, and soon as fast again. */
const afterGuess: Recovery = { depth: 0.5, milliseconds: 5000 };
/** After a measurement: hardly slower than the service allows, and for some time not faster. */
const afterMeasurement: Recovery = { depth: 0.05, milliseconds: 10_000 };

/** The rate of one service. Unlimited until the service pushes back. */
export class Rate {
  /** Requests a second that the service takes, as far as known. */
  #known = Number.POSITIVE_INFINITY;
  #recovery = afterGuess;
  /** When the rate was cut, or when requests were sent again after that. */
  #cutAt = Number.NEGATIVE_INFINITY;
  /** When the current sample began; undefined before the first response. */
  #sampleFrom: number | undefined;
  /** When requests were sent that the service took, oldest first, since the sample began. */
  #taken: number[] = [];

  /** Requests a second that are in order at that time: near the known rate for a while, then more and more. */
  at(now: number): number {
    if (this.#known === Number.POSITIVE_INFINITY) return this.#known;
    const { depth, milliseconds } = this.#recovery;
    const since = Math.max(0, now - this.#cutAt) / milliseconds;
    return this.#known * (1 + depth * (since - 1) ** 3);
  }

  /** A request that started at that time was taken. */
  took(startedAt: number): void {
    this.#sampleFrom ??= startedAt;
    if (startedAt < this.#sampleFrom) return;
    this.#taken.push(startedAt);
    if (this.#taken.length > 20_000) this.#taken = this.#taken.slice(-10_000);
  }

  /** The service takes no more at that time, and nothing is sent before `resumeAt`. */
  pushedBack(now: number, resumeAt: number): void {
    // What follows a cut at once is the same shortage.
    if (now - this.#cutAt < shortestSample && resumeAt - now < shortestSample) return;
    const current = this.at(now);
    const from = Math.max(this.#sampleFrom ?? now, now - longestSample);
    const elapsed = now - from;
    const measured = (this.#taken.filter((at) => at >= from).length * 1000) / Math.max(100, elapsed);
    const isFirst = current === Number.POSITIVE_INFINITY;
    const isMeasured = elapsed >= shortestSample && !isFirst;
    // After a slow climb the service allows hardly less than what it was sent.
    const least = elapsed >= longestSample ? 0.9 : 0.5;
    this.#known = isFirst
      ? Math.max(leastGuess, measured)
      : Math.max(least * current, Math.min(0.97 * current, isMeasured ? measured : 0));
    this.#recovery = isMeasured ? afterMeasurement : afterGuess;
    this.#cutAt = resumeAt;
    this.#sampleFrom = resumeAt;
    this.#taken = [];
  }
}

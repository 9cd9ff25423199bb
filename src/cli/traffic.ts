/** What the requests of a run are doing, in a few words for the lines that show progress. */
import type { RequestEvent } from '../client/client.ts';
import type { Pace } from '../client/pacing.ts';
import { countOf } from '../util/count.ts';

/** Counts requests, and says what they wait for. */
export class Traffic {
  readonly #now: () => number;
  #done = 0;
  /** A request that is sent again later. */
  #retry: { readonly reason: string; readonly at: number } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** An attempt ended. */
  record({ outcome, retryInMs }: RequestEvent): void {
    if (retryInMs === undefined) {
      this.#done += 1;
      this.#retry = undefined;
    } else this.#retry = { reason: reasonOf(outcome), at: this.#now() + retryInMs };
  }

  /** For example `57 requests done; throttled by the service, next request in 12 s`; undefined where nothing was sent. */
  describe(pace: Pace): string | undefined {
    const waiting = this.#waiting(pace);
    if (waiting === undefined) return this.#done === 0 ? undefined : `${countOf(this.#done, 'request')} done`;
    return `${countOf(this.#done, 'request')} done; ${waiting}`;
  }

  #waiting({ pausedUntil, perSecond, limitedBy }: Pace): string | undefined {
    const now = this.#now();
    if (pausedUntil !== undefined)
      return `throttled by the service, next request in ${secondsUntil(pausedUntil, now)}`;
    if (perSecond !== undefined) {
      return limitedBy === 'user'
        ? `limited to ${perSecond} requests/s by --max-rps`
        : `throttled by the service, about ${rounded(perSecond)} requests/s`;
    }
    if (this.#retry === undefined || this.#retry.at < now) return undefined;
    return `${this.#retry.reason}, retry in ${secondsUntil(this.#retry.at, now)}`;
  }
}

function reasonOf(outcome: number | string): string {
  return outcome === 429 || outcome === 503 ? 'throttled by the service' : `failed: ${outcome}`;
}

function secondsUntil(time: number, now: number): string {
  return `${Math.max(1, Math.ceil((time - now) / 1000))} s`;
}

function rounded(perSecond: number): number {
  return perSecond < 10 ? Number(perSecond.toFixed(1)) : Math.round(perSecond);
}

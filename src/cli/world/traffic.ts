/** Counts the requests of a run, with their rate and duration, and why they wait. */
import type { RequestEvent } from '../../client/client.ts';
import type { Pace } from '../../client/pacing.ts';
import { countOf } from '../../util/count.ts';

export interface TrafficSnapshot {
  readonly at: number;
  readonly requests: number;
  readonly objects: number;
}

/** Unit: milliseconds. Over a shorter time, a rate is meaningless. */
const shortest = 1000;

export class Traffic {
  readonly #now: () => number;
  readonly #pace: () => Pace;
  #requests = 0;
  #objects = 0;
  #retry: { readonly reason: string; readonly at: number } | undefined;

  constructor({ now, pace }: { readonly now: () => number; readonly pace: () => Pace }) {
    this.#now = now;
    this.#pace = pace;
  }

  record({ outcome, retryInMs, objects = 0 }: RequestEvent): void {
    this.#objects += objects;
    if (retryInMs === undefined) {
      this.#requests += 1;
      this.#retry = undefined;
    } else {
      const reason = outcome === 429 || outcome === 503 ? 'throttled' : `failed: ${outcome}`;
      this.#retry = { reason, at: this.#now() + retryInMs };
    }
  }

  snapshot(): TrafficSnapshot {
    return { at: this.#now(), requests: this.#requests, objects: this.#objects };
  }

  /** Example: `412 requests, 180/s, 9,800 objects`; undefined if no request was sent since the snapshot. */
  counts(since: TrafficSnapshot): string | undefined {
    const requests = this.#requests - since.requests;
    const objects = this.#objects - since.objects;
    if (requests === 0) return undefined;
    const rate = this.rate(since);
    return [
      grouped(countOf(requests, 'request')),
      ...(rate === undefined ? [] : [rate]),
      ...(objects === 0 ? [] : [grouped(countOf(objects, 'object'))]),
    ].join(', ');
  }

  /** Requests per second since the snapshot, for example `180/s`; undefined if the snapshot is too recent. */
  rate({ at, requests }: TrafficSnapshot): string | undefined {
    const elapsed = this.#now() - at;
    if (elapsed < shortest) return undefined;
    return `${rounded(((this.#requests - requests) * 1000) / elapsed)}/s`;
  }

  /** Example: `throttled, retry in 2 s`; undefined if requests are not held back. */
  waiting(): string | undefined {
    const { pausedUntil, perSecond, limitedBy } = this.#pace();
    const now = this.#now();
    if (pausedUntil !== undefined) return `throttled, retry in ${secondsUntil(pausedUntil, now)}`;
    if (perSecond !== undefined) {
      return limitedBy === 'user'
        ? `limited to ${perSecond}/s by --max-rps`
        : `throttled to about ${rounded(perSecond)}/s`;
    }
    if (this.#retry === undefined || this.#retry.at < now) return undefined;
    return `${this.#retry.reason}, retry in ${secondsUntil(this.#retry.at, now)}`;
  }
}

function secondsUntil(time: number, now: number): string {
  return `${Math.max(1, Math.ceil((time - now) / 1000))} s`;
}

function rounded(perSecond: number): number {
  return perSecond < 10 ? Number(perSecond.toFixed(1)) : Math.round(perSecond);
}

function grouped(text: string): string {
  return text.replace(/\d(?=(?:\d{3})+\b)/g, '$&,');
}

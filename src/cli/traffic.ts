/** What the requests of a run are doing: how many there were and how fast, what they wait for, and how long one takes. */
import type { RequestEvent } from '../client/client.ts';
import type { Pace } from '../client/pacing.ts';
import type { ServicePace } from '../report/plan-text.ts';
import { countOf } from '../util/count.ts';

/** How much was done until some moment. */
export interface TrafficMark {
  readonly at: number;
  readonly requests: number;
  readonly objects: number;
}

/** Milliseconds after which a rate means something. */
const shortest = 1000;
/** Responses whose time is kept, for the time that one takes. */
const mostSamples = 1000;

/** What requests are held to. */
export interface TrafficOptions {
  readonly now: () => number;
  /** What holds requests back now. */
  readonly pace: () => Pace;
  /** Requests at once, at most. */
  readonly parallelism: number;
  /** Requests a second, at most; absent for as many as the service takes. */
  readonly maxPerSecond?: number | undefined;
}

/** Counts requests, and says what they wait for. */
export class Traffic {
  readonly #now: () => number;
  readonly #pace: () => Pace;
  readonly #limits: { readonly parallelism: number; readonly maxPerSecond: number };
  #requests = 0;
  #objects = 0;
  /** Milliseconds of the last responses. */
  readonly #times: number[] = [];
  #next = 0;
  /** A request that is sent again later. */
  #retry: { readonly reason: string; readonly at: number } | undefined;

  constructor({ now, pace, parallelism, maxPerSecond = Number.POSITIVE_INFINITY }: TrafficOptions) {
    this.#now = now;
    this.#pace = pace;
    this.#limits = { parallelism, maxPerSecond };
  }

  /** An attempt ended. */
  record({ outcome, retryInMs, failed, milliseconds, objects = 0 }: RequestEvent): void {
    if (!failed) {
      this.#times[this.#next % mostSamples] = milliseconds;
      this.#next += 1;
    }
    this.#objects += objects;
    if (retryInMs === undefined) {
      this.#requests += 1;
      this.#retry = undefined;
    } else this.#retry = { reason: reasonOf(outcome), at: this.#now() + retryInMs };
  }

  /** How much was done until now. */
  mark(): TrafficMark {
    return { at: this.#now(), requests: this.#requests, objects: this.#objects };
  }

  /** How fast requests go: what is in the middle of the responses that came; undefined where none did. */
  get measured(): ServicePace | undefined {
    const latency = [...this.#times].sort((left, right) => left - right)[Math.floor(this.#times.length / 2)];
    if (latency === undefined) return undefined;
    const { parallelism, maxPerSecond } = this.#limits;
    // A limit on requests a second leaves fewer of them in flight.
    return { latency, parallelism: Math.min(parallelism, (maxPerSecond * Math.max(1, latency)) / 1000) };
  }

  /** For example `412 requests, 180/s, 9,800 objects`; undefined where nothing was sent since the mark. */
  counts(since: TrafficMark): string | undefined {
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

  /** Requests a second since the mark, for example `180/s`; undefined where that is too short ago. */
  rate({ at, requests }: TrafficMark): string | undefined {
    const elapsed = this.#now() - at;
    if (elapsed < shortest) return undefined;
    return `${rounded(((this.#requests - requests) * 1000) / elapsed)}/s`;
  }

  /** For example `throttled, retry in 2 s`; undefined where nothing holds requests back. */
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

function reasonOf(outcome: number | string): string {
  return outcome === 429 || outcome === 503 ? 'throttled' : `failed: ${outcome}`;
}

function secondsUntil(time: number, now: number): string {
  return `${Math.max(1, Math.ceil((time - now) / 1000))} s`;
}

function rounded(perSecond: number): number {
  return perSecond < 10 ? Number(perSecond.toFixed(1)) : Math.round(perSecond);
}

/** Commas between thousands. */
function grouped(text: string): string {
  return text.replace(/\d(?=(?:\d{3})+\b)/g, '$&,');
}

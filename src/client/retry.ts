/** When a failed request is sent again, and after how long. Pure: time and chance are handed in. */
import type { Pushback } from './pacing.ts';

/** Bounds of trying again. */
export interface RetryLimits {
  /** Times a request is sent at most, at least 1. Attempts that the service turned away because of its load do not count. */
  readonly attempts: number;
  /** Milliseconds that all attempts and pauses of one request may take together; waiting for its turn does not count. */
  readonly totalMs: number;
  /** Milliseconds before the second attempt; doubled each time. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** The defaults. */
export const defaultRetryLimits: RetryLimits = {
  attempts: 5,
  totalMs: 300_000,
  firstDelayMs: 250,
  maxDelayMs: 20_000,
};

/** How a single attempt failed, as far as trying again is concerned. */
export interface Fault {
  readonly status?: number | undefined;
  /** True when the service cannot have seen the request. */
  readonly unsent: boolean;
  /** True for broken connections and responses that did not come in time. */
  readonly transient: boolean;
  /** Milliseconds that the service asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** True when the fault may pass and sending the request again does no harm. */
export function isWorthRetrying(fault: Fault, { repeatable }: { readonly repeatable: boolean }): boolean {
  const { status } = fault;
  if (status === undefined) return fault.transient && (fault.unsent || repeatable);
  // 429 and 425 (RFC 8470): turned away before anything was done, so a creation may be sent again too. A 503 does not
  // say that, with Retry-After or without: a gateway may send it for a request that it had passed on.
  if (status === 429 || status === 425) return true;
  return repeatable && (status === 408 || (status >= 500 && status !== 501 && status !== 505));
}

/** Why the service wants less, where the fault says so. */
export function pushbackOf({ status }: Fault): Pushback | undefined {
  if (status === 429) return 'rate';
  return status === 503 ? 'load' : undefined;
}

/**
 * Milliseconds before attempt number `next` (2 for the first repetition): a random part of a step that doubles each time, so
 * that many clients do not come back together; after the time that the service asks for.
 */
export function retryDelay(
  fault: Fault,
  next: number,
  options: { readonly limits: RetryLimits; readonly random: () => number },
): number {
  const { firstDelayMs, maxDelayMs } = options.limits;
  const step = Math.min(maxDelayMs, firstDelayMs * 2 ** (next - 2));
  return (fault.retryAfterMs ?? 0) + options.random() * step;
}

/**
 * Milliseconds of a Retry-After header, given in seconds or as an HTTP date; undefined where it says nothing.
 *
 * @param clocks `servedAt`: the Date header of the response. A date is held against it, since clocks differ.
 */
export function parseRetryAfter(
  header: string | undefined,
  clocks: { readonly now: number; readonly servedAt?: string | undefined },
): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  const date = parseHttpDate(text);
  if (date === undefined) return undefined;
  return Math.max(0, date - (parseHttpDate(clocks.servedAt ?? '') ?? clocks.now));
}

/** Date.parse alone would also take numbers and other spellings for dates. */
function parseHttpDate(text: string): number | undefined {
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

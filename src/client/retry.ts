/** Decides whether and when a failed request is sent again. Pure: the caller passes time and randomness. */
import type { Pushback, WindowReport } from './pacing.ts';

export interface RetryLimits {
  /** Minimum: 1. Attempts that the service rejected with 429 do not count. */
  readonly attempts: number;
  /** Unit: milliseconds, for all attempts and pauses of one request. Waiting for a turn does not count. */
  readonly totalMs: number;
  /** Unit: milliseconds. Pause before the second attempt; doubled for each further one. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export const defaultRetryLimits: RetryLimits = {
  attempts: 5,
  totalMs: 300_000,
  firstDelayMs: 250,
  maxDelayMs: 20_000,
};

export interface Fault {
  readonly status?: number | undefined;
  /** True if the service cannot have received the request. */
  readonly unsent: boolean;
  /** True for broken connections and late responses. */
  readonly transient: boolean;
  /** Unit: milliseconds. The delay that the service asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** True if the fault may pass and sending the request again does no harm. */
export function isWorthRetrying(fault: Fault, { repeatable }: { readonly repeatable: boolean }): boolean {
  const { status } = fault;
  if (status === undefined) return fault.transient && (fault.unsent || repeatable);
  // 429 and 425 (RFC 8470) reject a request before it has any effect, so even a create may be sent again. A 503 does not
  // guarantee that, with or without Retry-After: a gateway may return it for a request that it had forwarded.
  if (status === 429 || status === 425) return true;
  return repeatable && (status === 408 || (status >= 500 && status !== 501 && status !== 505));
}

export function pushbackOf({ status, retryAfterMs }: Fault): Pushback | undefined {
  if (status === 429) return retryAfterMs === 0 ? 'moment' : 'rate';
  return status === 503 ? 'load' : undefined;
}

/**
 * Milliseconds before attempt number `next` (2 for the first retry): the delay that the service asks for, plus a random
 * part of a step that doubles each time, so that many clients do not return together.
 */
export function retryDelay(
  fault: Fault,
  next: number,
  options: { readonly limits: RetryLimits; readonly random: () => number },
): number {
  const { firstDelayMs, maxDelayMs } = options.limits;
  // `Retry-After: 0` is honored, with enough jitter to keep many clients from returning together.
  const first = fault.retryAfterMs === 0 ? firstDelayMs / 10 : firstDelayMs;
  const step = Math.min(maxDelayMs, first * 2 ** (next - 2));
  return (fault.retryAfterMs ?? 0) + options.random() * step;
}

/**
 * Milliseconds of a Retry-After header, given in seconds or as an HTTP date; undefined if it is not valid.
 *
 * @param clocks `servedAt`: the Date header of the response. A date is compared with it, since clocks differ.
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

/** A smaller number means seconds from now; a larger one means seconds since 1970. */
const firstDate = 1e8;

/**
 * Parses the X-RateLimit headers of a response; undefined if they are not valid. The end of the window is compared with
 * the Date header, since clocks differ.
 */
export function parseRateLimit(
  { status, header }: { readonly status: number; readonly header: (name: string) => string | undefined },
  now: number,
): WindowReport | undefined {
  const read = (name: string, valid: RegExp) => {
    const text = header(`x-ratelimit-${name}`)?.trim() ?? '';
    return valid.test(text) ? Number(text) : Number.NaN;
  };
  const limit = read('limit', /^0*[1-9]\d*$/);
  const left = read('remaining', /^\d+$/);
  const isRejection = status === 429 && left === 0;
  const report = { limit, left, isRejection };
  if (Number.isNaN(limit + left)) return undefined;
  const servedAt = header('date');
  const retryAfterMs = isRejection ? parseRetryAfter(header('retry-after'), { now, servedAt }) : undefined;
  if (retryAfterMs !== undefined) return { ...report, endsInMs: retryAfterMs };
  if (isRejection && header('x-ratelimit-reset') === undefined) return report;
  const reset = read('reset', /^\d+(\.\d+)?$/);
  const seconds = reset < firstDate ? reset : reset - (parseHttpDate(servedAt ?? '') ?? now) / 1000;
  // The header has whole seconds, so a window that rejects may end now.
  const isValid = seconds < firstDate && (isRejection ? seconds >= 0 : seconds > 0);
  return isValid ? { ...report, endsInMs: 1000 * Math.max(isRejection ? 1 : 0, seconds) } : undefined;
}

/** Rejects numbers and other spellings, which Date.parse alone would accept. */
function parseHttpDate(text: string): number | undefined {
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

/** When a failed request is sent again, and after how long. Pure: time and chance are handed in. */

/** Bounds of trying again. */
export interface RetryLimits {
  /** Times a request is sent at most, at least 1. */
  readonly attempts: number;
  /** Milliseconds that all attempts and pauses of one request may take together. */
  readonly totalMs: number;
  /** Milliseconds before the second attempt; doubled each time. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** The defaults. */
export const defaultRetryLimits: RetryLimits = {
  attempts: 5,
  totalMs: 180_000,
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
  // 429: turned away before anything was done.
  if (status === 429) return true;
  return repeatable && (status === 408 || (status >= 500 && status !== 501 && status !== 505));
}

/** True when the service says that it is asked too much. */
export function isPushback(fault: Fault): boolean {
  return fault.status === 429 || fault.status === 503;
}

/** Milliseconds before attempt number `next` (2 for the first repetition): doubling, with chance, never less than asked. */
export function retryDelay(
  fault: Fault,
  next: number,
  options: { readonly limits: RetryLimits; readonly random: () => number },
): number {
  const { firstDelayMs, maxDelayMs } = options.limits;
  const step = Math.min(maxDelayMs, firstDelayMs * 2 ** (next - 2));
  const jittered = step / 2 + (options.random() * step) / 2;
  return fault.retryAfterMs === undefined ? jittered : fault.retryAfterMs + options.random() * firstDelayMs;
}

/** Milliseconds of a Retry-After header, given in seconds or as an HTTP date; undefined where it says nothing. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  // Date.parse alone would also take numbers and other spellings for dates.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

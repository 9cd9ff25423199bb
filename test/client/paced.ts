/** Requests to a service with a rate limit, in virtual time: the send loop, the pacer and the rate. */
import { type Arrival, Sender } from '../../src/client/attempts.ts';
import { type PaceLimits, Pacer } from '../../src/client/pacing.ts';
import { prepareRequest } from '../../src/client/request.ts';
import { apiError, type ResponseContext } from '../../src/client/response.ts';
import { defaultRetryLimits } from '../../src/client/retry.ts';
import { type VirtualTime, virtualTime } from '../support/virtual-time.ts';

/** Limits of a service. */
export interface Allowance {
  readonly perSecond: number;
  /** Burst that it accepts after an idle period. */
  readonly burst: number;
  readonly retryAfter: 'none' | 'zero' | 'whole seconds' | 'exact';
  readonly latency: number;
  /** Rate after a number of requests. */
  readonly raised?: { readonly after: number; readonly perSecond: number };
  /** Numbers of the requests that it rejects at any rate. */
  readonly stray?: (number: number) => boolean;
}

/** A token bucket. */
function limited(time: VirtualTime, { burst, retryAfter, latency, raised, stray, ...rest }: Allowance) {
  let { perSecond } = rest;
  let tokens = burst;
  let filledAt = time.now();
  const sentAt: number[] = [];
  const wait = (): number | undefined => {
    const missing = ((1 - tokens) * 1000) / perSecond;
    if (retryAfter === 'exact') return missing;
    if (retryAfter === 'zero') return 0;
    return retryAfter === 'none' ? undefined : Math.ceil(missing / 1000) * 1000;
  };
  return {
    sentAt,
    exchange: async (context: ResponseContext): Promise<Arrival> => {
      sentAt.push(time.now());
      const number = sentAt.length;
      if (raised !== undefined && number > raised.after) perSecond = raised.perSecond;
      await time.sleep(latency / 2);
      tokens = Math.min(burst, tokens + ((time.now() - filledAt) * perSecond) / 1000);
      filledAt = time.now();
      const isTaken = tokens >= 1 && !stray?.(number);
      const fault = { status: 429, unsent: false, transient: false, retryAfterMs: wait() };
      if (isTaken) tokens -= 1;
      await time.sleep(latency / 2);
      if (isTaken)
        return { type: 'unread', read: async () => ({ type: 'response', value: 'taken', status: 200 }) };
      const error = apiError(context, 'turned away', { type: 'status', status: 429, mayHaveHappened: false });
      return { type: 'failed', error, fault };
    },
  };
}

const request = prepareRequest('orgs.list', { params: {} });

export interface Run {
  readonly allowance: Allowance;
  readonly limits: PaceLimits;
  /** Requests issued in parallel, each followed by the next one. Defaults to all. */
  readonly wide?: number;
}

/** Sends `count` requests and measures the time. */
export async function sendMany(count: number, { allowance, limits, wide = count }: Run) {
  // Responses arrive without a stream.
  const time = virtualTime(1, 1);
  const pacer = new Pacer(limits, time);
  const { signal } = new AbortController();
  const shared = { address: 'http://service', token: 'token', stopping: signal };
  const sender = new Sender({ clock: time, pacer, limits: defaultRetryLimits, signal, ...shared });
  const { sentAt, exchange } = limited(time, allowance);
  const begin = time.now();
  const failures: unknown[] = [];
  const one = () => sender.perform(request, { exchange, ended: () => undefined });
  let left = count;
  const some = async () => {
    for (left -= 1; left >= 0; left -= 1) await one().catch((error: unknown) => failures.push(error));
  };
  await time.until(Promise.all(Array.from({ length: wide }, some)));
  return { seconds: (time.now() - begin) / 1000, sentAt, failures };
}

/** How much of a rate limit a client uses, in virtual time: the send loop, the pacer and the rate. */
import { describe, expect, test } from 'vitest';
import { type Arrival, Sender } from '../../src/client/attempts.ts';
import { type PaceLimits, Pacer } from '../../src/client/pacing.ts';
import { prepareRequest } from '../../src/client/request.ts';
import { apiError, type ResponseContext } from '../../src/client/response.ts';
import { defaultRetryLimits } from '../../src/client/retry.ts';
import { type VirtualTime, virtualTime } from '../support/virtual-time.ts';
import { connect, json, serve, team } from './service.ts';

/** Limits of a service. */
interface Allowance {
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

interface Run {
  readonly allowance: Allowance;
  readonly limits: PaceLimits;
  /** Requests issued in parallel, each followed by the next one. Defaults to all. */
  readonly wide?: number;
}

/** Sends `count` requests and measures the time. */
async function sendMany(count: number, { allowance, limits, wide = count }: Run) {
  const time = virtualTime();
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

describe('a service that allows 20 requests a second', () => {
  const allowances = [1, 20, 100].flatMap((burst) =>
    (['none', 'whole seconds', 'exact'] as const).flatMap((retryAfter) =>
      [4, 80].map((latency): Allowance => ({ perSecond: 20, burst, retryAfter, latency })),
    ),
  );

  test.each([
    ...allowances,
    { perSecond: 20, burst: 20, retryAfter: 'whole seconds' as const, latency: 300 },
  ])(
    'is used to 85% without failures: bursts of $burst, Retry-After: $retryAfter, $latency ms each',
    async (allowance) => {
      const { perSecond, burst } = allowance;
      const { seconds, failures, sentAt } = await sendMany(2000, { allowance, limits: { concurrency: 8 } });
      expect(failures).toEqual([]);
      expect((2000 - burst) / perSecond / seconds).toBeGreaterThanOrEqual(0.85);
      // Rejected requests are wasted.
      expect(sentAt.length).toBeLessThan(2000 * 1.25);
    },
  );

  test('receives more requests after it raises the limit', async () => {
    const allowance = { perSecond: 20, burst: 20, retryAfter: 'none', latency: 20 } as const;
    const raised = { after: 600, perSecond: 200 };
    const { seconds } = await sendMany(6000, {
      allowance: { ...allowance, raised },
      limits: { concurrency: 8 },
    });
    expect(seconds).toBeLessThan(120);
  });
});

test('keeps its speed after a single 429 from a service without a limit', async () => {
  const allowance = { perSecond: 1e6, burst: 1e6, retryAfter: 'none', latency: 20 } as const;
  const limits = { concurrency: 8 };
  const undisturbed = await sendMany(4000, { allowance, limits });
  const disturbed = await sendMany(4000, {
    allowance: { ...allowance, stray: (number) => number === 1000 },
    limits,
  });
  expect(disturbed.failures).toEqual([]);
  expect(disturbed.seconds).toBeLessThan(undisturbed.seconds * 1.5);
});

describe('a service that rejects some requests at any rate', () => {
  const cases = [0.05, 0.1, 0.22].flatMap((share) =>
    [79, 2000].flatMap((count) => [2, 8].map((wide) => ({ share, count, wide }))),
  );

  /** Ratio of the time to that of an undisturbed run. */
  async function slower(given: (typeof cases)[number], retryAfter: Allowance['retryAfter']) {
    const { share, count, wide } = given;
    const { random } = virtualTime(7);
    const limits = { concurrency: 8 };
    const allowance = { perSecond: 1e6, burst: 1e6, retryAfter, latency: wide * 12 };
    const undisturbed = await sendMany(count, { allowance, limits, wide });
    const stray = () => random() < share;
    const disturbed = await sendMany(count, { allowance: { ...allowance, stray }, limits, wide });
    expect(disturbed.failures).toEqual([]);
    return { ratio: disturbed.seconds / undisturbed.seconds, perSecond: count / disturbed.seconds };
  }

  test.each(cases)(
    'slows $share of $count, $wide in parallel, at most fourfold with Retry-After: 0',
    async (given) => {
      expect((await slower(given, 'zero')).ratio).toBeLessThanOrEqual(4);
    },
  );

  test.each(cases)(
    'still handles one request a second: $share of $count, $wide in parallel, without Retry-After',
    async (given) => {
      // Each rejection looks like an exceeded rate, and some requests are sent twice.
      expect((await slower(given, 'none')).perSecond).toBeGreaterThanOrEqual(0.95 * (1 - given.share));
    },
  );
});

test.each([1, 7, 50, 1000])(
  'sends at most %d requests within any second if that is the limit',
  async (perSecond) => {
    const allowance = { perSecond: 1e6, burst: 1e6, retryAfter: 'none', latency: 5 } as const;
    const limits = { concurrency: 64, perSecond };
    const count = Math.min(400, perSecond * 6);
    const { sentAt, seconds, failures } = await sendMany(count, { allowance, limits });
    expect(failures).toEqual([]);
    sentAt.forEach((at, index) => {
      const later = sentAt[index + perSecond];
      if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(1000);
    });
    // The requests are spread over the second.
    const first = (sentAt[0] ?? 0) + 500;
    expect(sentAt.filter((at) => at < first).length).toBeLessThanOrEqual(
      Math.max(1, Math.ceil(perSecond * 0.55)),
    );
    expect(seconds).toBeLessThan((count / perSecond) * 1.05 + 0.1);
  },
);

test('does not count the wait for a turn as part of the time limit of a request', async () => {
  // Waits more than five minutes at two requests a second.
  const allowance = { perSecond: 2, burst: 1, retryAfter: 'whole seconds', latency: 4 } as const;
  const { failures, seconds } = await sendMany(800, { allowance, limits: { concurrency: 8 } });
  expect(seconds).toBeGreaterThan(300);
  expect(failures).toEqual([]);
});

describe('the pacer', () => {
  const { signal } = new AbortController();
  const still = { now: () => 0, random: () => 0, sleep: async () => undefined };

  test('halves the rate once per round of rejections and raises it once per round of successes', async () => {
    let time = 0;
    const pacer = new Pacer({ concurrency: 8 }, { ...still, now: () => time });
    for (let at = 0; at < 8; at += 1) await pacer.enter(signal);
    time = 1;
    for (let at = 0; at < 8; at += 1) pacer.pushedBack(0, { by: 'load', pause: 0 });
    expect(pacer.limit).toBe(4);
    time = 3;
    pacer.pushedBack(2, { by: 'load', pause: 0 });
    expect(pacer.limit).toBe(2);
    for (let at = 0; at < 3; at += 1) pacer.succeeded(3);
    expect(pacer.limit).toBe(3);
    for (let at = 0; at < 100; at += 1) pacer.succeeded(3);
    expect(pacer.limit).toBe(8);
  });

  test('reports the reason for holding requests back', async () => {
    const time = virtualTime();
    const begin = time.now();
    const pacer = new Pacer({ concurrency: 8 }, time);
    const enterMany = (count: number) =>
      time.until(
        Promise.all(Array.from({ length: count }, () => pacer.enter(signal).then(() => pacer.leave()))),
      );
    await enterMany(20);
    expect(pacer.pace).toEqual({});
    pacer.pushedBack(begin + 1, { by: 'load', pause: 2000 });
    expect(pacer.pace).toEqual({ pausedUntil: begin + 2000 });
    await enterMany(1);
    await time.until(time.sleep(5000));
    pacer.pushedBack(time.now(), { by: 'rate', pause: 0 });
    await enterMany(20);
    expect(pacer.pace).toMatchObject({ limitedBy: 'service' });
    const limited = new Pacer({ concurrency: 8, perSecond: 3 }, time);
    expect(limited.pace).toEqual({});
    await time.until(Promise.all([limited.enter(signal), limited.enter(signal)]));
    expect(limited.pace).toEqual({ perSecond: 3, limitedBy: 'user' });
  });

  test('serves retries before new requests', async () => {
    const pacer = new Pacer({ concurrency: 1 }, still);
    const order: string[] = [];
    await pacer.enter(signal);
    const enter = async (name: string, place: 'first' | 'last') => {
      await pacer.enter(signal, place);
      order.push(name);
      pacer.leave();
    };
    const all = [enter('new', 'last'), enter('newer', 'last'), enter('again', 'first')];
    pacer.leave();
    await Promise.all(all);
    expect(order).toEqual(['again', 'new', 'newer']);
  });

  test('releases all waiting requests on an interruption', async () => {
    const time = virtualTime();
    const pacer = new Pacer({ concurrency: 1, perSecond: 1 }, time);
    const stop = new AbortController();
    const entered = [pacer.enter(stop.signal), pacer.enter(stop.signal), pacer.enter(stop.signal)];
    await entered[0];
    stop.abort();
    await expect(Promise.all(entered)).resolves.toHaveLength(3);
  });

  test('adds one abort listener for a thousand waiting requests', async () => {
    const pacer = new Pacer({ concurrency: 1 }, still);
    const stop = new AbortController();
    let listeners = 0;
    const listen = stop.signal.addEventListener.bind(stop.signal);
    stop.signal.addEventListener = (...given: Parameters<typeof listen>) => {
      listeners += 1;
      listen(...given);
    };
    const entered = Array.from({ length: 1000 }, () => pacer.enter(stop.signal));
    await entered[0];
    expect(listeners).toBe(1);
    stop.abort();
    await expect(Promise.all(entered)).resolves.toHaveLength(1000);
  });
});

test('answers all requests over real connections without exceeding the concurrency limit', async () => {
  let underWay = 0;
  let most = 0;
  const { url } = await serve(async (incoming, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((done) => setTimeout(done, 3));
    underWay -= 1;
    const turnedAway = Number(incoming.url.slice(9)) % 7 === 3 && Math.random() < 0.5;
    json(response, turnedAway ? {} : team('o', 'O'), turnedAway ? 429 : 200);
  });
  const { client } = connect(url, { concurrency: 5 });
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, at) =>
      client.send('teams.get', { params: { organizationId: `${at}`, teamId: 't' } }),
    ),
  );
  expect(answers).toHaveLength(80);
  expect(most).toBeLessThanOrEqual(5);
});

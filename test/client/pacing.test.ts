/** What a client sends to a service that rejects requests, in virtual time. */
import { describe, expect, test } from 'vitest';
import { Pacer } from '../../src/client/pacing.ts';
import { virtualTime } from '../support/virtual-time.ts';
import { type Allowance, sendMany } from './paced.ts';
import { connect, json, serve, team } from './service.ts';

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

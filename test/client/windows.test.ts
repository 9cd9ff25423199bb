/** Rate limits that a service announces in response headers, in virtual time. */
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { Pacer } from '../../src/client/pacing.ts';
import { ApiError } from '../../src/contract/api.ts';
import { some } from '../support/runs.ts';
import { virtualTime } from '../support/virtual-time.ts';
import { team, token } from './service.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a service counts requests, and what its headers announce. */
interface Rules {
  readonly limit: number;
  readonly seconds: number;
  /** Windows start with a request or at whole multiples; in sliding ones each request counts for `seconds`, and reset means the oldest or all. */
  readonly window: 'first' | 'clock' | 'sliding' | 'sliding whole';
  readonly reset: 'epoch' | 'epoch floor' | 'epoch exact' | 'seconds' | 'seconds floor';
  /** True if rejections do not announce the end of the window. */
  readonly silent?: boolean;
  readonly rejectionsCount?: boolean;
  /** True if lists and other reads have separate windows. */
  readonly byKind?: boolean;
}

interface Counted {
  taken: number[];
  endsAt: number;
}

const usual: Rules = { limit: 8, seconds: 20, window: 'first', reset: 'epoch' };

/** Answers requests by the clock of the service. */
function windows({ limit, seconds, window, reset, silent, rejectionsCount, byKind }: Rules) {
  const length = seconds * 1000;
  const kinds = new Map<string, Counted>();
  const endOf = ({ taken: [oldest = 0], endsAt }: Counted, now: number) => {
    if (window === 'sliding') return oldest + length;
    if (window === 'sliding whole') return now + length;
    if (now < endsAt) return endsAt;
    return window === 'first' ? now + length : (Math.floor(now / length) + 1) * length;
  };
  return (target: string, now: number): Answer => {
    const kind = byKind && target.includes('/teams/') ? 'one' : 'list';
    const counted = kinds.get(kind) ?? { taken: [], endsAt: Number.NEGATIVE_INFINITY };
    kinds.set(kind, counted);
    const isOver = (at: number) =>
      window.startsWith('sliding') ? at <= now - length : now >= counted.endsAt;
    counted.taken = counted.taken.filter((at) => !isOver(at));
    const isTaken = counted.taken.length < limit;
    if (isTaken || rejectionsCount) counted.taken.push(now);
    counted.endsAt = endOf(counted, now);
    const left = (counted.endsAt - now) / 1000;
    const ends = {
      epoch: Math.ceil(counted.endsAt / 1000),
      'epoch floor': Math.floor(counted.endsAt / 1000),
      'epoch exact': counted.endsAt / 1000,
      seconds: Math.ceil(left),
      'seconds floor': Math.floor(left),
    }[reset];
    const headers = {
      ...announce(limit, Math.max(0, limit - counted.taken.length)),
      date: new Date(now).toUTCString(),
      ...(isTaken || !silent ? { 'x-ratelimit-reset': `${ends}` } : {}),
    };
    return { status: isTaken ? 200 : 429, headers };
  };
}

function announce(limit: number, left: number, reset?: number) {
  return {
    'x-ratelimit-limit': `${limit}`,
    'x-ratelimit-remaining': `${left}`,
    ...(reset === undefined ? {} : { 'x-ratelimit-reset': `${reset}` }),
  };
}

interface Load {
  readonly count: number;
  readonly concurrency?: number;
  readonly seed?: number;
  /** How fast the clock of the service is. Unit: milliseconds. */
  readonly skew?: number;
  /** Times at which another client sends a request. Unit: milliseconds. */
  readonly others?: readonly number[];
  /** Time at which the user interrupts. Unit: milliseconds. */
  readonly interrupted?: number;
}

/** Sends one request and then all others, as a plan does. Every second one is a list. */
async function send(answer: (target: string, now: number, number: number) => Answer, load: Load) {
  const { count, concurrency = 8, seed = 1, skew = 0, others = [], interrupted } = load;
  const time = virtualTime(seed * 104_729_177);
  // A random offset within a second.
  await time.until(time.sleep(time.random() * 1000));
  const begin = time.now();
  const stop = new AbortController();
  const outcomes: (number | string)[] = [];
  const retries: number[] = [];
  let sent = 0;
  const client = createClient({
    baseUrl: 'http://127.0.0.1',
    token,
    userAgent: 'octavo/test',
    clock: time,
    concurrency,
    signal: stop.signal,
    onRequest: ({ outcome, retryInMs }) => {
      outcomes.push(outcome);
      if (retryInMs !== undefined) retries.push(retryInMs);
    },
    transport: {
      exchange: async ({ target }) => {
        sent += 1;
        const number = sent;
        await time.sleep(30 + time.random() * 60);
        const { status, headers } = answer(target, time.now() + skew, number);
        await time.sleep(30 + time.random() * 60);
        const body = JSON.stringify(status === 200 ? { ...team('t', 'T'), items: [] } : {});
        return { status, body, bytes: body.length, header: (name) => headers[name] };
      },
      close: async () => undefined,
    },
  });
  for (const after of others) void time.sleep(after).then(() => answer('', time.now() + skew, 0));
  if (interrupted !== undefined) void time.sleep(interrupted).then(() => stop.abort());
  const failures: ApiError[] = [];
  const one = async (at: number) => {
    try {
      if (at % 2 === 0) await client.send('orgs.list', { params: {} });
      else await client.send('teams.get', { params: { organizationId: 'o', teamId: 't' } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push(error);
    }
  };
  const all = async () => {
    await one(0);
    await Promise.all(Array.from({ length: count - 1 }, (_, at) => one(at + 1)));
  };
  await time.until(all());
  return {
    seconds: (time.now() - begin) / 1000,
    rejected: outcomes.filter((outcome) => outcome === 429).length,
    sent,
    failures,
    retries,
  };
}

describe('sending 18 requests to a service that allows 8 per 20 s', () => {
  const bound = 40;
  const services: readonly [string, Partial<Rules> & Omit<Load, 'count'>][] = (
    ['first', 'clock', 'sliding', 'sliding whole'] as const
  ).flatMap((window) =>
    (['epoch', 'epoch floor', 'epoch exact', 'seconds', 'seconds floor'] as const).flatMap(
      (reset): [string, Partial<Rules> & Omit<Load, 'count'>][] => [
        ['', { window, reset }],
        ['rejections do not say when it ends', { window, reset, silent: true }],
        ['rejections count', { window, reset, rejectionsCount: true }],
        ['lists and other reads count by themselves', { window, reset, byKind: true }],
        ['its clock is fast', { window, reset, skew: 90_000 }],
        ['its clock is slow', { window, reset, skew: -90_000 }],
        ['used by another client too', { window, reset, others: [2000, 9000, 22_000, 23_000, 41_000] }],
      ],
    ),
  );

  test.each(
    some(
      services.flatMap(([name, given]) => [8, 16].map((concurrency) => ({ name, concurrency, ...given }))),
    ),
  )(
    'takes at most 50 s with few rejections: window: $window, Reset: $reset, $concurrency in flight; $name',
    async ({ name: _, concurrency, skew, others, ...rules }) => {
      for (let seed = 1; seed <= 3; seed += 1) {
        const load = { count: 18, concurrency, seed, skew: skew ?? 0, others: others ?? [] };
        const { seconds, rejected, failures } = await send(windows({ ...usual, ...rules }), load);
        expect(failures).toEqual([]);
        expect(seconds).toBeLessThanOrEqual(1.25 * bound);
        expect(rejected).toBeLessThanOrEqual(3);
      }
    },
  );
});

test.each([
  { limit: 100, seconds: 60, count: 400 },
  { limit: 10, seconds: 5, count: 100 },
])(
  'sends $count requests to a service that allows $limit per $seconds s without rejections',
  async ({ count, ...rules }) => {
    const { seconds, rejected } = await send(windows({ ...usual, ...rules }), { count });
    expect(seconds).toBeLessThanOrEqual(1.25 * (count / rules.limit - 1) * rules.seconds);
    expect(rejected).toBe(0);
  },
);

test('does not delay an operation because of the window of another one', async () => {
  const lists = windows({ ...usual, limit: 5 });
  const others = windows({ ...usual, limit: 1000 });
  const { seconds, rejected } = await send(
    (target, now) => (target.includes('/teams/') ? others : lists)(target, now),
    { count: 10 },
  );
  expect(seconds).toBeLessThan(2);
  expect(rejected).toBe(0);
});

describe('invalid or incomplete headers never delay a request', () => {
  const past = Date.parse('2025-12-31') / 1000;
  const plain = () => send(() => ({ status: 200, headers: {} }), { count: 200 });

  test.each([
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' },
    ...['', '0', '-8', '8.5', 'many', '8, 8', '1e3'].map((limit) => ({
      ...announce(0, 0, 20),
      'x-ratelimit-limit': limit,
    })),
    { 'x-ratelimit-limit': '8', 'x-ratelimit-reset': '20' },
    ...['', '-1', 'NaN', '0.5'].map((left) => ({ ...announce(8, 0, 20), 'x-ratelimit-remaining': left })),
    announce(8, 0),
    ...['', 'soon', '-20', '0', `${past}`, `${past * 1000}`, '9'.repeat(400), '3600'].map((reset) => ({
      ...announce(8, 0),
      'x-ratelimit-reset': reset,
    })),
    announce(8, 8, 20),
  ])('%j', async (headers) => {
    expect(await send(() => ({ status: 200, headers }), { count: 200 })).toEqual(await plain());
  });

  test('a limit announced only once does not, either', async () => {
    const { seconds } = await send(
      (_, __, number) => ({ status: 200, headers: number === 1 ? announce(8, 1, 20) : {} }),
      { count: 200 },
    );
    expect(seconds).toBeLessThan((await plain()).seconds + 1);
  });
});

describe('a rejection', () => {
  const first = (headers: Record<string, string>) =>
    send((_, __, number) => ({ status: number === 1 ? 429 : 200, headers: number === 1 ? headers : {} }), {
      count: 1,
    });

  test.each([
    ['says when the window ends', announce(8, 0, 20), 20],
    ['says that the window ends now', announce(8, 0, 0), 1],
    ['has a Retry-After, too', { ...announce(8, 0, 20), 'retry-after': '3' }, 3],
    ['is not by the window', announce(8, 5, 20), 0],
    ['says when another window ended', announce(8, 0, Date.parse('2025-12-31') / 1000), 0],
    ['does not know the end', announce(8, 0), 0],
  ])('delays its retry correctly if it %s', async (_, headers, seconds) => {
    const [retry = 0] = (await first(headers)).retries;
    expect(retry).toBeGreaterThanOrEqual(seconds * 1000);
    expect(retry).toBeLessThanOrEqual(seconds * 1000 + 250);
  });

  test('by a window that ends too late fails with the requested delay', async () => {
    const { failures, seconds } = await send(() => ({ status: 429, headers: announce(8, 0, 3600) }), {
      count: 3,
    });
    expect(failures).toHaveLength(3);
    expect(failures[0]?.message).toContain('(the service asks to wait 3600 s)');
    expect(seconds).toBeLessThan(1);
  });

  test('of all requests in flight delays no request after the next window begins', async () => {
    const allowed = windows({ ...usual, limit: 1000 });
    const rejected = { status: 429, headers: announce(1000, 0, 5) };
    const { seconds, sent } = await send(
      (target, now, number) => (number > 1 && number <= 9 ? rejected : allowed(target, now)),
      { count: 400 },
    );
    const undisturbed = await send(allowed, { count: 400 });
    expect(sent).toBe(408);
    expect(seconds).toBeLessThan(undisturbed.seconds + 6);
  });
});

test('ends the wait for a window on an interruption', async () => {
  const { seconds, failures } = await send(windows(usual), { count: 18, interrupted: 5000 });
  expect(failures.map(({ type }) => type)).toEqual(Array.from({ length: 10 }, () => 'cancelled'));
  expect(seconds).toBeLessThanOrEqual(5.1);
});

test('reports when the window opens, but not a wait for a request in flight', async () => {
  const time = virtualTime();
  const begin = time.now();
  const { signal } = new AbortController();
  const pacer = new Pacer({ concurrency: 8 }, time);
  const report = (left: number) =>
    pacer.windows.reported(
      'teams.get',
      { limit: 8, left, endsInMs: 20_000, isRejection: false },
      { now: time.now(), longest: 300_000 },
    );
  report(1);
  await pacer.enter(signal, 'last', 'teams.get');
  const next = pacer.enter(signal, 'last', 'teams.get');
  await time.until(time.sleep(100));
  expect(pacer.pace).toEqual({});
  report(0);
  pacer.leave();
  await time.until(time.sleep(100));
  expect(pacer.pace).toEqual({ pausedUntil: begin + 20_100 });
  await time.until(next);
  expect(time.now()).toBe(begin + 20_100);
  expect(pacer.pace).toEqual({});
});

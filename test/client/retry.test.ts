/** Requests that are retried, and the delay before each retry. */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultRetryLimits, parseRetryAfter, retryDelay } from '../../src/client/retry.ts';
import { sampleSeed, startService } from '../../src/server/index.ts';
import { connect, failure, json, serve } from './service.ts';

const params = { organizationId: 'org_1' };

describe('after a failure', () => {
  test.each([
    ['teams.list', 'GET', 503, 2],
    ['teams.list', 'GET', 500, 2],
    ['teams.list', 'GET', 429, 2],
    ['teams.list', 'GET', 408, 2],
    ['teams.list', 'GET', 425, 2],
    ['teams.list', 'GET', 404, 1],
    ['teams.list', 'GET', 501, 1],
    ['teams.list', 'GET', 505, 1],
    ['teams.update', 'PATCH', 502, 2],
    ['teams.delete', 'DELETE', 500, 2],
    ['openapi.put', 'PUT', 500, 2],
    ['shareLinks.create', 'POST', 429, 2],
    ['shareLinks.create', 'POST', 425, 2],
    ['shareLinks.create', 'POST', 408, 1],
    ['shareLinks.create', 'POST', 503, 1],
    ['shareLinks.create', 'POST', 500, 1],
    // PUT creates a team: a retry would create a second one.
    ['teams.create', 'PUT', 503, 1],
    ['teams.create', 'PUT', 429, 2],
  ] as const)('%s (%s) after %d is sent %d times', async (operation, method, status, times) => {
    const { url, arrived } = await serve((_, response, number) => {
      if (number === 1) json(response, { error: { code: status, message: 'later' } }, status);
      else response.writeHead(204).end();
    });
    const { client } = connect(url);
    const inputs = {
      'teams.list': { params },
      'teams.update': { params: { ...params, teamId: 't' }, body: { title: 'A' } },
      'teams.delete': { params: { ...params, teamId: 't' } },
      'openapi.put': { params: { ...params, specSlug: 's' }, body: { source: { url: 'https://a.b/c' } } },
      'shareLinks.create': { params: { ...params, siteId: 's' }, body: { name: 'A' } },
      'teams.create': { params, body: { title: 'A' } },
    };
    await client.send(operation, inputs[operation] as never).catch(() => undefined);
    expect(arrived.map((request) => request.method)).toEqual(Array.from({ length: times }, () => method));
  });

  test('a failed create reports whether it may have taken effect', async () => {
    const { url } = await serve((request, response) => json(response, {}, Number(request.url.slice(9, 12))));
    const { client } = connect(url);
    const create = (status: string) =>
      failure(client.send('teams.create', { params: { organizationId: status }, body: { title: 'A' } }));
    expect((await create('500')).mayHaveHappened).toBe(true);
    expect((await create('503')).mayHaveHappened).toBe(true);
    expect((await create('400')).mayHaveHappened).toBe(false);
    expect((await create('429')).mayHaveHappened).toBe(false);
    expect((await create('425')).mayHaveHappened).toBe(false);
    expect((await create('408')).mayHaveHappened).toBe(true);
  });

  test('a delete may have taken effect if its first response was lost and the retry returns 404', async () => {
    const { url, arrived } = await serve((_, response, number) => {
      if (number === 1) response.destroy();
      else json(response, { error: { code: 404, message: 'gone' } }, 404);
    });
    const error = await failure(
      connect(url).client.send('teams.delete', { params: { ...params, teamId: 't' } }),
    );
    expect(error).toMatchObject({ status: 404, mayHaveHappened: true });
    expect(arrived).toHaveLength(2);
  });

  test('Retry-After delays the retry and all other requests', async () => {
    const { url } = await serve((_, response, number) => {
      if (number === 1) response.writeHead(429, { 'retry-after': '7' }).end();
      else json(response, { items: [] });
    });
    const { client, slept, events } = connect(url);
    await client.send('orgs.list', { params: {} });
    expect(slept[0]).toBe(7125);
    expect(slept[1]).toBeGreaterThan(6500);
    expect(events).toMatchObject([{ outcome: 429, retryInMs: 7125 }, { outcome: 200 }]);
  });

  test('the delay before a retry is a random part of a bound that doubles up to a maximum', () => {
    const fault = { unsent: false, transient: true };
    const delays = (random: number, retryAfterMs?: number) =>
      [2, 3, 4, 20].map((next) =>
        retryDelay({ ...fault, retryAfterMs }, next, { limits: defaultRetryLimits, random: () => random }),
      );
    expect(delays(0)).toEqual([0, 0, 0, 0]);
    expect(delays(1)).toEqual([250, 500, 1000, 20_000]);
    expect(delays(0, 3000)).toEqual([3000, 3000, 3000, 3000]);
    expect(delays(1, 3000)).toEqual([3250, 3500, 4000, 23_000]);
    expect(delays(1, 0)).toEqual([25, 50, 100, 20_000]);
  });

  test('a 503 that does not pass ends after as many attempts as any other failure', async () => {
    const { url, arrived } = await serve(
      (_, response) => void response.writeHead(503, { 'retry-after': '1' }).end(),
    );
    const { client, slept } = connect(url);
    for (const request of [
      () =>
        client.send('teams.update', { params: { organizationId: 'o', teamId: 't' }, body: { title: 'Aa' } }),
      () => client.send('orgs.list', { params: {} }),
    ]) {
      arrived.length = 0;
      expect(await failure(request())).toMatchObject({ status: 503, attempt: 5 });
      expect(arrived).toHaveLength(5);
    }
    expect(Math.min(...slept)).toBeGreaterThan(900);
  });

  test('429 counts toward the time limit, not the number of attempts', async () => {
    const status = 429;
    const { url, arrived } = await serve((_, response, number) => {
      if (number <= 12) json(response, { error: { code: status, message: 'slow down' } }, status);
      else json(response, { items: [] });
    });
    await connect(url).client.send('orgs.list', { params: {} });
    expect(arrived).toHaveLength(13);
    const always = await serve((_, response) => json(response, {}, status));
    const error = await failure(
      connect(always.url, { retries: { totalMs: 60_000 } }).client.send('orgs.list', { params: {} }),
    );
    expect(error).toMatchObject({ status, type: 'status' });
    expect(always.arrived.length).toBeGreaterThan(5);
  });

  test('a delay that is too long is reported instead of waited for', async () => {
    const { url } = await serve(
      (_, response) => void response.writeHead(503, { 'retry-after': '3600' }).end(),
    );
    const { client, slept } = connect(url);
    const error = await failure(client.send('orgs.list', { params: {} }));
    expect(error.message).toBe('orgs.list failed with status 503 (the service asks to wait 3600 s)');
    expect(slept).toEqual([]);
  });

  test.each([
    ['120', 120_000],
    ['Wed, 21 Oct 2026 07:28:10 GMT', 10_000],
    ['Wed, 21 Oct 2020 07:28:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    ['-5', undefined],
  ])('Retry-After %s is parsed', (header, milliseconds) => {
    const now = Date.parse('2026-10-21T07:28:00Z');
    expect(parseRetryAfter(header, { now })).toBe(milliseconds);
    // A wrong local clock does not matter if the response has a date.
    const skewed = { now: now - 7_200_000, servedAt: 'Wed, 21 Oct 2026 07:28:00 GMT' };
    expect(parseRetryAfter(header, skewed)).toBe(milliseconds);
    expect(parseRetryAfter(header, { now, servedAt: 'today' })).toBe(milliseconds);
  });
});

test.each(['seconds', 'date'] as const)(
  'waits out rejections of the embedded service with Retry-After as %s',
  async (form) => {
    // An hour fast: the date in Retry-After is compared with the clock of the service.
    let now = Date.now() + 3_600_000;
    const service = await startService({
      data: ':memory:',
      seed: sampleSeed,
      now: () => new Date(now),
      faults: [
        { type: 'status', status: 429, times: 7, retryAfter: { form, seconds: 3 } },
        { type: 'status', status: 425, times: 1 },
        { type: 'status', status: 503, times: 1 },
        { type: 'reset', times: 2 },
      ],
    });
    onTestFinished(() => service.close());
    const slept: number[] = [];
    const { client, events } = connect(service.url, {
      token: service.token,
      clock: {
        now: () => now,
        random: () => 0.5,
        sleep: async (milliseconds) => {
          now += milliseconds;
          slept.push(milliseconds);
        },
      },
    });
    expect(await client.all('orgs.list', { params: {} })).not.toHaveLength(0);
    expect(events.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 7 }, () => 429),
      425,
      503,
      ...['connection', 'connection', 200],
    ]);
    // Dates are precise to the second.
    for (const { retryInMs } of events.slice(0, 7)) {
      expect(retryInMs).toBeGreaterThan(2000);
      expect(retryInMs).toBeLessThan(3000 + 20_000);
    }
  },
);

test.each([
  ['between two attempts', 503, {}],
  ['in a pause that the service asked for', 429, { 'retry-after': '60' }],
] as const)('a stop ends a wait %s, and nothing is sent after it', async (_when, status, headers) => {
  const stop = new AbortController();
  const { url, arrived } = await serve(
    (_, response) => void response.writeHead(status, { ...headers }).end(),
  );
  const { client } = connect(url, {
    stopping: stop.signal,
    clock: {
      now: () => Date.now(),
      random: () => 1,
      sleep: async (milliseconds, signal) => {
        await wait(milliseconds, undefined, signal && { signal }).catch(() => undefined);
      },
    },
  });
  const first = failure(client.send('orgs.list', { params: {} }));
  while (arrived.length === 0) await wait(5);
  await wait(20);
  // Another one waits for its turn, because of the pause.
  const second = failure(client.send('orgs.list', { params: {} }));
  await wait(20);
  const started = Date.now();
  const before = arrived.length;
  stop.abort();
  const [ended, unsent] = await Promise.all([first, second]);
  expect(Date.now() - started).toBeLessThan(2000);
  expect(ended).toMatchObject({ status });
  if (status === 429) expect(unsent).toMatchObject({ type: 'cancelled', mayHaveHappened: false });
  expect(arrived.length).toBe(before);
});

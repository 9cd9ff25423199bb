/** What is sent again, after how long, and how the pace follows the service. */
import { describe, expect, test } from 'vitest';
import { Pacer } from '../../src/client/pacing.ts';
import { parseRetryAfter } from '../../src/client/retry.ts';
import { connect, failure, json, serve, team } from './service.ts';

const params = { organizationId: 'org_1' };

describe('after a failure', () => {
  test.each([
    ['teams.list', 'GET', 503, 2],
    ['teams.list', 'GET', 500, 2],
    ['teams.list', 'GET', 429, 2],
    ['teams.list', 'GET', 404, 1],
    ['teams.list', 'GET', 501, 1],
    ['teams.update', 'PATCH', 502, 2],
    ['teams.delete', 'DELETE', 500, 2],
    ['openapi.put', 'PUT', 500, 2],
    ['shareLinks.create', 'POST', 429, 2],
    ['shareLinks.create', 'POST', 503, 1],
    ['shareLinks.create', 'POST', 500, 1],
    // A team is made with PUT: sending it twice would make two.
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

  test('a failed creation says whether it may have happened', async () => {
    const { url } = await serve((request, response) => json(response, {}, Number(request.url.slice(9, 12))));
    const { client } = connect(url);
    const create = (status: string) =>
      failure(client.send('teams.create', { params: { organizationId: status }, body: { title: 'A' } }));
    expect((await create('500')).mayHaveHappened).toBe(true);
    expect((await create('503')).mayHaveHappened).toBe(true);
    expect((await create('400')).mayHaveHappened).toBe(false);
    expect((await create('429')).mayHaveHappened).toBe(false);
  });

  test('a delete whose first answer was lost is done when the second says 404', async () => {
    const { url, arrived } = await serve((_, response, number) => {
      if (number === 1) response.destroy();
      else json(response, { error: { code: 404, message: 'gone' } }, 404);
    });
    await connect(url).client.send('teams.delete', { params: { ...params, teamId: 't' } });
    expect(arrived).toHaveLength(2);
  });

  test('Retry-After is waited for, and pauses what else is to be sent', async () => {
    const { url } = await serve((_, response, number) => {
      if (number === 1) response.writeHead(429, { 'retry-after': '7' }).end();
      else json(response, { items: [] });
    });
    const { client, slept, events } = connect(url);
    await client.send('orgs.list', { params: {} });
    expect(slept[0]).toBe(7125);
    expect(events).toMatchObject([{ outcome: 429, retryInMs: 7125 }, { outcome: 200 }]);
  });

  test('a wait that is too long is not begun, and said', async () => {
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
  ])('Retry-After: %s', (header, milliseconds) => {
    expect(parseRetryAfter(header, Date.parse('2026-10-21T07:28:00Z'))).toBe(milliseconds);
  });
});

describe('pace', () => {
  const clock = { now: () => 0, random: () => 0, sleep: async () => undefined };
  const { signal } = new AbortController();

  test('halves on pushback once per round, climbs by one per round of successes', async () => {
    let time = 0;
    const pacer = new Pacer(8, { ...clock, now: () => time });
    for (let at = 0; at < 8; at += 1) await pacer.enter(signal);
    time = 1;
    for (let at = 0; at < 8; at += 1) pacer.pushedBack(0, 0);
    expect(pacer.limit).toBe(4);
    time = 2;
    pacer.pushedBack(1, 0);
    expect(pacer.limit).toBe(2);
    for (let at = 0; at < 3; at += 1) pacer.succeeded();
    expect(pacer.limit).toBe(3);
    for (let at = 0; at < 100; at += 1) pacer.succeeded();
    expect(pacer.limit).toBe(8);
  });

  test('never more at once than the limit, and nobody is forgotten', async () => {
    let underWay = 0;
    let most = 0;
    const { url } = await serve(async (request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((done) => setTimeout(done, 3));
      underWay -= 1;
      const turnedAway = Number(request.url.slice(9)) % 7 === 3 && Math.random() < 0.5;
      json(response, turnedAway ? {} : team('o', 'O'), turnedAway ? 429 : 200);
    });
    const { client } = connect(url, { concurrency: 5, retries: { attempts: 50 } });
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, at) =>
        client.send('teams.get', { params: { organizationId: `${at}`, teamId: 't' } }),
      ),
    );
    expect(answers).toHaveLength(80);
    expect(most).toBeLessThanOrEqual(5);
  });
});

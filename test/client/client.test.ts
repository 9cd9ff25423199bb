/** Requests and results of the client, and the base URLs, tokens and inputs that it accepts. */

import { describe, expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/client/base-url.ts';
import { accepted } from '../../src/contract/api.ts';
import { connect, failure, json, serve, team, token } from './service.ts';

const params = { organizationId: 'org_1' };

test('sends token, agent, JSON and encoded ids, and keeps unknown fields of a response', async () => {
  const { url, arrived } = await serve((_, response) =>
    json(response, { ...team('t', 'A'), extra: { a: [1] } }),
  );
  const { client, events } = connect(`${url}/v1/`);
  const answer = await client.send('teams.update', {
    params: { organizationId: 'a/b?c#d', teamId: 'é %2e' },
    body: { title: 'A' },
  });
  expect(answer).toMatchObject({ id: 't', extra: { a: [1] } });
  expect(arrived[0]).toMatchObject({
    method: 'PATCH',
    url: '/v1/orgs/a%2Fb%3Fc%23d/teams/%C3%A9%20%252e',
    body: '{"title":"A"}',
  });
  expect(arrived[0]?.headers).toMatchObject({
    authorization: `Bearer ${token}`,
    'user-agent': 'octavo/test',
    'content-type': 'application/json',
    accept: 'application/json',
  });
  expect(events).toMatchObject([{ operation: 'teams.update', method: 'PATCH', attempt: 1, outcome: 200 }]);
});

test('keeps a base URL prefix before /v1', async () => {
  const { url, arrived } = await serve((_, response) => json(response, { items: [] }));
  await connect(`${url}/gateway/docs/`).client.send('orgs.list', { params: {} });
  expect(arrived[0]?.url).toBe('/gateway/docs/v1/orgs');
});

test('reads the pages of a list in order, a thousand items at a time', async () => {
  const { url, arrived } = await serve((_, response, number) => {
    json(response, {
      items: [team(`t${number}`, 'T')],
      ...(number < 3 ? { next: { page: `p ${number}` } } : {}),
    });
  });
  const { client } = connect(url);
  const items = await client.all('teams.list', { params, query: { title: 'T' } });
  expect(items).toMatchObject([{ id: 't1' }, { id: 't2' }, { id: 't3' }]);
  expect(arrived.map((request) => request.url)).toEqual([
    '/v1/orgs/org_1/teams?limit=1000&title=T',
    '/v1/orgs/org_1/teams?limit=1000&title=T&page=p+1',
    '/v1/orgs/org_1/teams?limit=1000&title=T&page=p+2',
  ]);
});

test.each([{}, { page: null }, { page: '' }, null])('accepts %j as the end of a list', async (next) => {
  const { url } = await serve((_, response) => json(response, { items: [team('t1', 'T')], next }));
  expect(await connect(url).client.all('teams.list', { params })).toMatchObject([{ id: 't1' }]);
});

describe('a list with fewer items than it counts', () => {
  test.each([{}, { next: { page: '' } }, { next: null }])(
    'is read again once, then an error (%j)',
    async (end) => {
      const teams = async (wholeFrom: number) => {
        const { arrived, url } = await serve((_request, response, number) => {
          const items = number < wholeFrom ? [team('t1', 'T')] : [team('t1', 'T'), team('t2', 'T')];
          json(response, { items, count: 2, ...end });
        });
        const input = { params: { organizationId: 'org_1' } };
        const read = await connect(url)
          .client.all('teams.list', input)
          .catch((error: Error) => error.message);
        return { read, requests: arrived.length };
      };
      expect(await teams(1)).toMatchObject({ read: [{ id: 't1' }, { id: 't2' }], requests: 1 });
      expect(await teams(2)).toMatchObject({ read: [{ id: 't1' }, { id: 't2' }], requests: 2 });
      expect(await teams(3)).toEqual({
        read: 'teams.list: the list ends after 1 of 2 items and names no next page',
        requests: 2,
      });
    },
  );

  test('may count the items of each page, or items that were deleted in the meantime', async () => {
    const { url } = await serve((_request, response, number) =>
      json(response, {
        items: [team(`t${number}`, 'T')],
        count: 1,
        ...(number < 3 ? { next: { page: `p${number}` } } : {}),
      }),
    );
    expect(await connect(url).client.all('teams.list', { params: { organizationId: 'org_1' } })).toHaveLength(
      3,
    );
  });
});

test('restarts a list once if a page has expired', async () => {
  const answers = async (expired: number) => {
    let left = expired;
    const { url, arrived } = await serve((request, response) => {
      const isSecond = request.url?.includes('page=') === true;
      if (isSecond && left > 0) {
        left -= 1;
        json(response, { error: { code: 400, message: 'page has expired' } }, 400);
      } else if (isSecond) json(response, { items: [team('t2', 'T')] });
      else json(response, { items: [team('t1', 'T')], next: { page: `p${left}` } });
    });
    const read = await connect(url).client.all('teams.list', { params }).catch(String);
    return { read, count: arrived.length };
  };
  expect(await answers(1)).toMatchObject({ read: [{ id: 't1' }, { id: 't2' }], count: 4 });
  expect(await answers(2)).toMatchObject({ read: expect.stringContaining('page has expired'), count: 4 });
});

test('reads lists without pages whole', async () => {
  const { url } = await serve((_, response) =>
    json(response, { items: [{ id: 'a', label: 'A', startURL: 'https://a.b' }] }),
  );
  expect(await connect(url).client.all('sso.list', { params })).toHaveLength(1);
});

test.each([204, 205, 200])('treats status %d as success of a delete', async (status) => {
  const { url } = await serve((_, response) => void response.writeHead(status).end());
  const answer = await connect(url).client.send('teams.delete', { params: { ...params, teamId: 't' } });
  expect(answer).toBeUndefined();
});

test('distinguishes an accepted change from a completed one, but not for reads', async () => {
  const { url } = await serve(({ method }, response) =>
    method === 'GET' ? json(response, { items: [] }, 202) : void response.writeHead(202).end(),
  );
  const { client } = connect(url);
  expect(await client.send('members.delete', { params: { ...params, userId: 'u' } })).toBe(accepted);
  // Only the removal of a member may be decided later; this 202 does not prove anything.
  await expect(client.send('teams.delete', { params: { ...params, teamId: 't' } })).rejects.toMatchObject({
    status: 202,
    mayHaveHappened: true,
  });
  await expect(
    client.send('teams.update', { params: { ...params, teamId: 't' }, body: { title: 'B' } }),
  ).rejects.toMatchObject({ status: 202, mayHaveHappened: true });
  expect(await client.send('orgs.list', { params: {} })).toEqual({ items: [] });
});

test('accepts status 200 for a create', async () => {
  const { url } = await serve((_, response) => json(response, team('t', 'A'), 200));
  expect(await connect(url).client.send('teams.create', { params, body: { title: 'A' } })).toMatchObject({
    id: 't',
  });
});

test('never sends input that does not fit the operation', async () => {
  const { url, arrived } = await serve((_, response) => json(response, {}));
  const { client } = connect(url);
  const send = (input: { params?: object; body?: unknown; query?: object }) =>
    failure(client.send('teams.create', input as never)).then(({ type, message }) => `${type}: ${message}`);
  const body = { title: 'A' };
  expect(await send({ params: {}, body })).toBe(
    'input: teams.create was not sent: missing path parameter organizationId',
  );
  expect(await send({ params: { organizationId: '' }, body })).toContain(
    'missing path parameter organizationId',
  );
  expect(await send({ params: { organizationId: '..' }, body })).toContain(
    'organizationId is "..", which is not a valid id',
  );
  expect(await send({ params: { organizationId: '\ud800' }, body })).toContain(
    'organizationId contains a lone surrogate',
  );
  expect(await send({ params: { ...params, teamId: 't' }, body })).toContain('unknown path parameter teamId');
  expect(await send({ params })).toContain('body.title: expected string, received undefined');
  expect(await send({ params, body: { title: '' } })).toContain('body.title: too small');
  expect(await send({ params, body: { ...body, nmae: 1 } })).toContain('body: unrecognized key: "nmae"');
  expect(await send({ params, body, query: { a: 1 } })).toContain('the operation takes no query');
  expect(arrived).toHaveLength(0);
});

test.each([
  ['https://api.acme.dev', 'https://api.acme.dev'],
  ['https://api.acme.dev/', 'https://api.acme.dev'],
  ['https://api.acme.dev/v1', 'https://api.acme.dev'],
  ['https://api.acme.dev/v1/', 'https://api.acme.dev'],
  ['https://acme.dev:8443/gate/v1', 'https://acme.dev:8443/gate'],
  ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ['http://[::1]:4000/', 'http://[::1]:4000'],
  ['http://localhost:4000', 'http://localhost:4000'],
])('accepts base URL %s', (text, address) => {
  expect(parseBaseUrl(text).text).toBe(address);
});

test.each([
  ['api.acme.dev', /not an http\(s\) URL/],
  ['ftp://api.acme.dev', /not an http\(s\) URL/],
  ['', /not an http\(s\) URL/],
  ['https://user:secret@acme.dev', /^(?!.*secret).*user name or password/],
  ['https://acme.dev?x=1', /query or a fragment/],
  ['http://api.acme.dev', /unencrypted/],
  ['http://127.acme.dev', /unencrypted/],
])('rejects base URL %s', (text, message) => {
  expect(() => parseBaseUrl(text)).toThrow(message);
});

test('accepts plain http to another machine if that is allowed', () => {
  expect(parseBaseUrl('http://docs.internal:8080', { allowHttp: true }).text).toBe(
    'http://docs.internal:8080',
  );
});

test.each(['', 'a b', 'tok\n', 'tök'])('rejects the token %j without showing it', (bad) => {
  expect(() => connect('http://127.0.0.1:1', { token: bad })).toThrow(
    /^the token (is empty|contains spaces)/,
  );
});

/** Each way in which a request can fail ends in one clear error that holds nothing secret. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { connect, failure, json, serve, team, token } from './service.ts';

const params = { organizationId: 'org_1' };
const once = { retries: { attempts: 1 } };

test('a status with the service message, without control characters, cut, and without the token', async () => {
  const words = `no \u001b[31mway\u0007 \u202Ein\n\twith ${token} ${'x'.repeat(900)}`;
  const { url } = await serve((_, response) => json(response, { error: { code: 403, message: words } }, 403));
  const { client } = connect(url);
  const error = await failure(client.send('teams.list', { params }));
  expect(error).toMatchObject({ type: 'status', status: 403, attempt: 1, mayHaveHappened: false });
  expect(error.path).toBe('/v1/orgs/org_1/teams');
  expect(error.message).toMatch(/^teams\.list failed with status 403: no \[31mway in with \(token\) x+…$/);
  expect(error.message.length).toBeLessThan(400);
  expect(JSON.stringify(error)).not.toContain(token);
});

test.each([
  ['{"message":"plain"}', 'plain'],
  ['{"error":"word"}', 'word'],
  ['{"errors":[{"message":"first"}]}', 'first'],
  ['{"error":{"code":400}}', undefined],
  ['just text', 'just text'],
  ['', undefined],
  ['<html><head><title>502 Bad\n Gateway</title></head><body><h1>x</h1></body></html>', '502 Bad Gateway'],
  ['<!DOCTYPE html><body>oops</body>', undefined],
])('the body %s says %s', async (body, said) => {
  const { url } = await serve((_, response) => void response.writeHead(400).end(body));
  const error = await failure(connect(url).client.send('orgs.list', { params: {} }));
  expect(error.serviceMessage).toBe(said);
});

test.each([
  [
    '<html><title>Sign in</title></html>',
    /returned 200 with a web page \(Sign in\).*is http:\S+ the address of the API\?/,
  ],
  ['', /with an empty body/],
  ['{"items": [{"id": "a"', /cut short or damaged \(21 bytes, ending in/],
  ['{"items": [{"object": "team"}]}', /a body that does not match the API: items\[0\]\.id: expected string/],
  ['[]', /the body: expected object/],
])('a successful response that is not the documented one: %s', async (body, message) => {
  const { url, arrived } = await serve((_, response) => void response.writeHead(200).end(body));
  const error = await failure(connect(url).client.send('teams.list', { params }));
  expect(error.type).toBe('response');
  expect(error.message).toMatch(/^teams\.list returned 200 /);
  expect(error.message).toMatch(message);
  expect(arrived).toHaveLength(1);
});

test('a write whose response cannot be read may have happened', async () => {
  const { url } = await serve((_, response) => void response.writeHead(201).end('{'));
  const error = await failure(connect(url).client.send('teams.create', { params, body: { title: 'A' } }));
  expect(error).toMatchObject({ type: 'response', mayHaveHappened: true });
});

test('redirects are not followed', async () => {
  const { url, arrived } = await serve((_, response) => {
    response.writeHead(302, { location: `https://elsewhere.example/v1/orgs?token=${token}` }).end();
  });
  const error = await failure(connect(url).client.send('orgs.list', { params: {} }));
  expect(error.message).toContain(
    '302, a redirect to https://elsewhere.example/v1/orgs; redirects are not followed',
  );
  expect(error.message).not.toContain(token);
  expect(arrived).toHaveLength(1);
});

test('nobody listens', async () => {
  const { client, slept } = connect('http://127.0.0.1:9');
  const error = await failure(
    client
      .send('orgs.create' as 'orgs.list', { params: {} })
      .catch(() => client.send('orgs.list', { params: {} })),
  );
  expect(error).toMatchObject({ type: 'connection', attempt: 5, mayHaveHappened: false });
  expect(error.message).toBe('orgs.list failed: cannot connect to http://127.0.0.1:9: connection refused');
  expect(slept).toEqual([187.5, 375, 750, 1500]);
});

test('a host that does not exist', async () => {
  const error = await failure(
    connect('https://no-such-host.invalid').client.send('orgs.list', { params: {} }),
  );
  expect(error.type).toBe('connection');
  expect(error.message).toMatch(/host not found: no-such-host\.invalid|cannot connect to/);
});

test('the connection breaks before the response', async () => {
  const { url, arrived } = await serve((_, response) => void response.destroy());
  const { client } = connect(url);
  const read = await failure(client.send('orgs.list', { params: {} }));
  expect(read).toMatchObject({ type: 'connection', attempt: 5, mayHaveHappened: false });
  expect(arrived).toHaveLength(5);
  const create = await failure(client.send('teams.create', { params, body: { title: 'A' } }));
  expect(create).toMatchObject({ type: 'connection', attempt: 1, mayHaveHappened: true });
  const change = await failure(
    client.send('teams.update', { params: { ...params, teamId: 't' }, body: { title: 'A' } }),
  );
  expect(change).toMatchObject({ attempt: 5, mayHaveHappened: true });
});

test('the connection breaks within the response', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"items": [', () => response.destroy());
  });
  const error = await failure(connect(url, once).client.send('orgs.list', { params: {} }));
  expect(error.type).toBe('connection');
  expect(error.message).toMatch(/broke before the response was complete$/);
});

test('the other side is not an HTTP server', async () => {
  const server = createServer(
    (socket) => void socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const error = await failure(
    connect(`http://127.0.0.1:${port}`, once).client.send('orgs.list', { params: {} }),
  );
  expect(error.message).toBe('orgs.list failed: the response is not HTTP');
});

test.each([
  ['headers', { headers: 50 }, 'no response within 0.1 s'],
  ['total', { total: 50 }, 'the response was not complete after 0.1 s'],
])('no response in time: %s', async (_, timeouts, message) => {
  const { url } = await serve(() => undefined);
  const error = await failure(connect(url, { ...once, timeouts }).client.send('orgs.list', { params: {} }));
  expect(error.type).toBe('timeout');
  expect(error.message).toContain(message);
});

test('a body that stops', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200);
    response.write('{"items"');
  });
  const { client } = connect(url, { ...once, timeouts: { body: 100 } });
  const error = await failure(client.send('orgs.list', { params: {} }));
  expect(error).toMatchObject({ type: 'timeout' });
  expect(error.message).toContain('the response stalled for 0.1 s');
});

test('a response that is too large', async () => {
  const { url } = await serve((_, response) => void response.writeHead(200).end('x'.repeat(3 * 2 ** 20)));
  const error = await failure(
    connect(url, { maxBodyBytes: 2 ** 20 }).client.send('orgs.list', { params: {} }),
  );
  expect(error).toMatchObject({ type: 'response', attempt: 1 });
  expect(error.message).toBe('orgs.list failed: the response is larger than 1 MiB');
});

test('a list whose pages form a loop', async () => {
  const { url, arrived } = await serve((_, response, number) => {
    json(response, { items: [team(`t${number}`, 'T')], next: { page: number % 2 === 0 ? 'a' : 'b' } });
  });
  const error = await failure(connect(url).client.all('teams.list', { params }));
  expect(error.message).toMatch(/^teams\.list: pagination loop: page \S+ points back to a page already read/);
  expect(arrived).toHaveLength(3);
});

test('interrupted in flight, while waiting and before being sent', async () => {
  const controller = new AbortController();
  const { url, arrived } = await serve(() => void setTimeout(() => controller.abort(), 20));
  const { client } = connect(url, { signal: controller.signal, concurrency: 1 });
  const body = { title: 'A' };
  const [first, second] = await Promise.all([
    failure(client.send('teams.create', { params, body })),
    failure(client.send('teams.create', { params, body })),
  ]);
  expect(first).toMatchObject({ type: 'cancelled', mayHaveHappened: true });
  expect(second).toMatchObject({ type: 'cancelled', mayHaveHappened: false });
  const third = await failure(client.send('orgs.list', { params: {} }));
  expect(third).toMatchObject({ type: 'cancelled', mayHaveHappened: false });
  expect(arrived).toHaveLength(1);
});

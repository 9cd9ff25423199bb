/** Each failure of a request ends in one clear error without secrets. */

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Timeouts } from '../../src/client/transport.ts';
import { connect, failure, json, serve, team, token } from './service.ts';

const params = { organizationId: 'org_1' };
const once = { retries: { attempts: 1 } };

test('reports a status with the service message cut and without control characters and token', async () => {
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
  ['{"message":["Another open request","Title is too long"]}', 'Another open request, Title is too long'],
  ['{"message":{"title":["is too long"],"base":["is unknown"]}}', 'title is too long, base is unknown'],
  [
    '{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"No commits"}]}',
    'Validation Failed: No commits',
  ],
  ['just text', 'just text'],
  ['', undefined],
  ['<html><head><title>502 Bad\n Gateway</title></head><body><h1>x</h1></body></html>', '502 Bad Gateway'],
  ['<!DOCTYPE html><body>oops</body>', undefined],
])('reports the body %s as %s', async (body, said) => {
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
])('rejects a successful response of the wrong shape: %s', async (body, message) => {
  const { url, arrived } = await serve((_, response) => void response.writeHead(200).end(body));
  const error = await failure(connect(url).client.send('teams.list', { params }));
  expect(error.type).toBe(/does not match|the body: expected/.test(error.message) ? 'shape' : 'response');
  expect(error.message).toMatch(/^teams\.list returned 200 /);
  expect(error.message).toMatch(message);
  expect(arrived).toHaveLength(1);
});

test('reports that a write whose response cannot be read may have taken effect', async () => {
  const { url } = await serve((_, response) => void response.writeHead(201).end('{'));
  const error = await failure(connect(url).client.send('teams.create', { params, body: { title: 'A' } }));
  expect(error).toMatchObject({ type: 'response', mayHaveHappened: true });
});

test('does not follow redirects', async () => {
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

test('reports a refused connection', async () => {
  const { client, slept } = connect('http://127.0.0.1:9');
  const error = await failure(
    client
      .send('orgs.create' as 'orgs.list', { params: {} })
      .catch(() => client.send('orgs.list', { params: {} })),
  );
  expect(error).toMatchObject({ type: 'connection', attempt: 5, mayHaveHappened: false });
  expect(error.message).toBe('orgs.list failed: cannot connect to http://127.0.0.1:9: connection refused');
  expect(slept).toEqual([125, 250, 500, 1000]);
});

test('reports an unknown host', async () => {
  const error = await failure(
    connect('https://no-such-host.invalid').client.send('orgs.list', { params: {} }),
  );
  expect(error.type).toBe('connection');
  expect(error.message).toMatch(/host not found: no-such-host\.invalid|cannot connect to/);
});

test('reports a connection broken before the response', async () => {
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

test('reports a connection broken within the response', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"items": [', () => response.destroy());
  });
  const error = await failure(connect(url, once).client.send('orgs.list', { params: {} }));
  expect(error.type).toBe('connection');
  expect(error.message).toMatch(/broke before the response was complete$/);
});

test('reports a server without HTTP', async () => {
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

/** A raw server that calls `answer` for each connection on which data arrived. */
async function serveRaw(answer: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => answer(socket));
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes a byte every few milliseconds. */
function drip(socket: Socket, text: string, every = 5): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text.charAt(at++) || ' '), every);
  socket.on('close', () => clearInterval(timer));
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

test.each<[string, (socket: Socket) => void, Partial<Timeouts>, RegExp]>([
  ['nothing', () => undefined, { headers: 50 }, /no response headers within 0\.1 s$/],
  ['nothing, for long', () => undefined, { total: 50 }, /no response headers after 0\.1 s$/],
  [
    'headers that drip',
    (socket) => drip(socket, `${head}x: ${'y'.repeat(999)}`),
    { total: 100 },
    /no response headers after 0\.1 s$/,
  ],
  [
    'headers that drip, for long',
    (socket) => drip(socket, `${head}x: ${'y'.repeat(999)}`),
    { headers: 100, total: 5000 },
    /no response headers within 0\.1 s$/,
  ],
  [
    'headers and no body',
    (socket) => void socket.write(`${head}content-length: 9\r\n\r\n`),
    { body: 100 },
    /the response stalled for 0\.1 s: 0 bytes of the body arrived$/,
  ],
  [
    'half a body',
    (socket) => void socket.write(`${head}content-length: 99\r\n\r\n{"items"`),
    { body: 100 },
    /the response stalled for 0\.1 s: 8 bytes of the body arrived$/,
  ],
  [
    'a body that drips',
    (socket) => {
      socket.write(`${head}content-length: 100000\r\n\r\n`);
      drip(socket, ' ');
    },
    { body: 100, total: 20_000 },
    /the response stalled for 0\.1 s: [1-9]\d* bytes? of the body arrived$/,
  ],
  [
    'a compressed body that drips',
    (socket) => {
      socket.write(`${head}content-encoding: gzip\r\ncontent-length: 100000\r\n\r\n`);
      drip(socket, ' ');
    },
    { body: 100, total: 20_000 },
    /the response stalled for 0\.1 s: [1-9]\d* bytes? of the body arrived$/,
  ],
  [
    'a body that never ends',
    (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      const timer = setInterval(() => socket.write('4\r\n    \r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    },
    { body: 2000, total: 200 },
    /the response was not complete after 0\.2 s: \d+ bytes of the body arrived$/,
  ],
])('times out if the service sends %s', async (_, answer, timeouts, message) => {
  const error = await failure(
    connect(await serveRaw(answer), { ...once, timeouts }).client.send('orgs.list', { params: {} }),
  );
  expect(error.type).toBe('timeout');
  expect(error.message).toMatch(message);
});

test('times out if a proxy accepts the connection but opens no tunnel', async () => {
  const proxy = await serveRaw(() => undefined);
  const error = await failure(
    connect('http://docs.internal', {
      ...once,
      allowHttp: true,
      proxy,
      timeouts: { connect: 100 },
    }).client.send('teams.create', { params, body: { title: 'A' } }),
  );
  expect(error).toMatchObject({ type: 'timeout', mayHaveHappened: false });
  expect(error.message).toBe(
    `teams.create failed: no tunnel to http://docs.internal through the proxy ${new URL(proxy).host} within 0.1 s`,
  );
});

test('rejects a response that is too large', async () => {
  const { url } = await serve((_, response) => void response.writeHead(200).end('x'.repeat(3 * 2 ** 20)));
  const error = await failure(
    connect(url, { maxBodyBytes: 2 ** 20 }).client.send('orgs.list', { params: {} }),
  );
  expect(error).toMatchObject({ type: 'response', attempt: 1 });
  expect(error.message).toBe('orgs.list failed: the response is larger than 1 MiB');
});

test('rejects a list whose pages form a loop', async () => {
  const { url, arrived } = await serve((_, response, number) => {
    json(response, { items: [team(`t${number}`, 'T')], next: { page: number % 2 === 0 ? 'a' : 'b' } });
  });
  const error = await failure(connect(url).client.all('teams.list', { params }));
  expect(error.message).toMatch(/^teams\.list: pagination loop: page \S+ points back to a page already read/);
  expect(arrived).toHaveLength(3);
});

test.each<[string, (number: number) => readonly unknown[], RegExp, number]>([
  ['the same', () => [team('t', 'T')], /^teams\.list: 20 pages in a row had no new items/, 21],
  ['nothing', () => [], /^teams\.list: 20 pages in a row had no new items/, 20],
  ['always more', (number) => [team(`t${number}`, 'T')], /^teams\.list: no end after 20000 pages/, 20_000],
])('rejects a list whose pages bring %s and never end', async (_name, items, message, requests) => {
  let number = 0;
  const exchange = async () => {
    number += 1;
    const body = JSON.stringify({ items: items(number), next: { page: `p${number}` } });
    return { status: 200, header: () => undefined, body, bytes: body.length };
  };
  const transport = { exchange, close: async () => undefined };
  const { client } = connect('http://127.0.0.1:1', { transport });
  const error = await failure(client.all('teams.list', { params }));
  expect(error.message).toMatch(message);
  expect(number).toBe(requests);
});

test('reads a list with empty pages to its end', async () => {
  const { url } = await serve((_, response, number) => {
    const items = number % 10 === 0 ? [team(`t${number}`, 'T')] : [];
    json(response, { items, ...(number === 100 ? {} : { next: { page: `p${number}` } }) });
  });
  expect(await connect(url).client.all('teams.list', { params })).toHaveLength(10);
});

test('cancels requests in flight, waiting and not yet sent on an interruption', async () => {
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

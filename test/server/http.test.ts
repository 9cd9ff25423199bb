/** The HTTP layer: health, methods, media types, sizes, keep-alive, hosts and the log. */
import { execFile } from 'node:child_process';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { sampleSeed, startService } from '../../src/server/index.ts';
import { startInMemory } from './call.ts';

const lines: string[] = [];
const { service, call } = await startInMemory(sampleSeed, { log: (line) => lines.push(line) });
afterAll(() => service.close());

test('answers health without a token', async () => {
  const got = await call('GET', '/healthz', undefined, null);
  expect([got.status, got.body]).toEqual([200, { status: 'ok' }]);
});

test('rejects unknown paths and methods', async () => {
  expect((await call('GET', '/v1/nothing')).status).toBe(404);
  expect((await call('GET', '/')).status).toBe(404);
  const got = await call('POST', '/v1/orgs/org_acme', {});
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'GET, PATCH']);
});

test('checks media type, JSON and size of bodies', async () => {
  const send = async (body: string, type: string) => {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': type };
    return (await fetch(`${service.url}/v1/orgs/org_acme/teams`, { method: 'PUT', headers, body })).status;
  };
  expect(await send('{"title":"A"}', 'text/plain')).toBe(415);
  expect(await send('{"title":', 'application/json')).toBe(400);
  expect(await send('[]', 'application/json')).toBe(400);
  expect(await send(JSON.stringify({ title: 'x'.repeat(1_100_000) }), 'application/json')).toBe(413);
  expect(await send('{"title":"A"}', 'application/json; charset=utf-8')).toBe(201);
});

test('answers a body that is too large while the client is still sending', { timeout: 60_000 }, async () => {
  // In a separate process: in this one, the client would read the response before sending more.
  const script = `
    const { request } = require('node:http');
    const body = Buffer.alloc(8 * 1024 * 1024, ' ');
    const headers = { authorization: process.argv[2], 'content-type': 'application/json', 'content-length': body.length };
    const send = () => new Promise((done) => {
      const sending = request(process.argv[1], { method: 'PATCH', headers }, (response) =>
        response.resume().on('end', () => done(response.statusCode)));
      sending.on('error', ({ message }) => done(message));
      sending.end(body);
    });
    (async () => {
      const seen = [];
      for (let at = 0; at < 40; at += 1) seen.push(await send());
      console.log(JSON.stringify(seen));
    })();`;
  const args = ['-e', script, `${service.url}/v1/orgs/org_acme`, `Bearer ${service.token}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual(Array.from({ length: 40 }, () => 413));
});

test('rejects a compressed body and accepts HTTP/1.0 without a host', async () => {
  const headers = {
    authorization: `Bearer ${service.token}`,
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  };
  const { status } = await fetch(`${service.url}/v1/orgs/org_acme/teams`, {
    method: 'PUT',
    headers,
    body: new Uint8Array(gzipSync('{"title":"A"}')),
  });
  expect(status).toBe(415);
  const { port } = new URL(service.url);
  const answer = (version: string) =>
    new Promise<string>((done) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.end(`GET /v1/orgs HTTP/${version}\r\n\r\n`),
      );
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => done(text.split('\r\n')[0] ?? ''));
    });
  expect(await answer('1.0')).toContain(' 401 ');
  expect(await answer('1.1')).toContain(' 400 ');
});

test('answers two requests in parallel on one connection', async () => {
  const text = await new Promise<string>((done, fail) => {
    const { port } = new URL(service.url);
    const sending = request({ port, path: '/healthz', headers: { connection: 'close' } }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => done(body));
    });
    sending.on('error', fail);
    sending.end();
  });
  expect(text).toBe('{"status":"ok"}');
  await Promise.all(Array.from({ length: 50 }, () => call('GET', '/v1/orgs/org_acme/sites')));
  expect(lines.some((line) => /^GET \/v1\/orgs\/org_acme\/sites 200 [\d.]+ms$/.test(line))).toBe(true);
  expect(lines.join('\n')).not.toContain(service.token);
});

test('listens on a public host only with the option public', async () => {
  await expect(startService({ data: ':memory:', host: '0.0.0.0' })).rejects.toThrow(
    /not made for production/,
  );
  const open = await startService({ data: ':memory:', host: '0.0.0.0', public: true });
  await open.close();
});

test('reports a port in use', async () => {
  await expect(startService({ data: ':memory:', port: Number(new URL(service.url).port) })).rejects.toThrow(
    /EADDRINUSE/,
  );
});

test('serves many connections in turn', async () => {
  const connections = 48;
  const counts = Array.from({ length: connections }, () => 0);
  let left = connections * 12;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = () =>
    new Promise<void>((done, fail) => {
      const options = { agent, headers: { authorization: `Bearer ${service.token}` } };
      request(`${service.url}/v1/orgs/org_acme/sites/site_hub/published`, options, (response) => {
        response.resume().on('end', done).on('error', fail);
      })
        .on('error', fail)
        .end();
    });
  await Promise.all(
    counts.map(async (_count, client) => {
      for (; left > 0; left -= 1) {
        await ask();
        counts[client] = (counts[client] ?? 0) + 1;
      }
    }),
  );
  agent.destroy();
  // Otherwise each new connection waits for all earlier ones.
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(6);
});

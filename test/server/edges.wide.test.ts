/** The edges of the service: tokens, disks, sockets and headers. */
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { type Service, type ServiceOptions, sampleSeed, startService } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { patience } from '../support/runs.ts';
import { caller } from './call.ts';

const folder = mkdtempSync(join(tmpdir(), 'octavo-edges-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function running(options: Partial<ServiceOptions>, use: (service: Service) => Promise<void>) {
  const service = await startService({ data: ':memory:', seed: sampleSeed, ...options });
  try {
    await use(service);
  } finally {
    await service.close();
  }
}

const reads = async (service: Service, token: string) =>
  (await caller(service)('GET', '/v1/orgs/org_acme', undefined, token)).status;

describe('tokens', () => {
  test('are not well known if the service is reachable from other machines', async () => {
    const open = { host: '0.0.0.0', public: true };
    await running(open, async ({ token, url, ...service }) => {
      const local = { ...service, token, url: url.replace('0.0.0.0', '127.0.0.1') };
      for (const known of ['octavo-local-token', 'token-ada']) expect(await reads(local, known)).toBe(401);
      expect(token).toMatch(/^octavo_[\w-]{24,}$/);
      expect(await reads(local, token)).toBe(200);
      const body = { url: `${local.url}/healthz`, source: 'markdown' };
      const read = await caller(local)('POST', '/v1/spaces/sp_api_guide/content/import', body);
      expect(read.status).toBe(400);
    });
    await running({}, async (service) => expect(await reads(service, 'token-ada')).toBe(200));
  });

  test('of the last start are valid, earlier ones are not', async () => {
    const data = join(folder, 'tokens.db');
    await running({ data, token: 'first' }, async (service) =>
      expect(await reads(service, 'first')).toBe(200),
    );
    await running({ data, token: 'second' }, async (service) => {
      expect(await reads(service, 'first')).toBe(401);
      expect(await reads(service, 'second')).toBe(200);
      expect(await reads(service, 'token-ada')).toBe(200);
    });
  });
});

describe('files', () => {
  test('have one lock under any name and are private to their owner', async () => {
    const data = join(folder, 'one.db');
    symlinkSync(data, join(folder, 'link.db'));
    await running({ data }, async () => {
      await expect(startService({ data: join(folder, 'link.db') })).rejects.toThrow('in use');
      expect(statSync(data).mode & 0o077).toBe(0);
    });
  });

  test('are rejected at start if they cannot be written', async () => {
    const data = join(folder, 'fixed.db');
    await running({ data }, async () => {});
    chmodSync(data, 0o400);
    // root may write to read-only files.
    if (process.getuid?.() !== 0) await expect(startService({ data })).rejects.toThrow('cannot open');
    await expect(startService({ data: join(folder, 'none', 'x.db') })).rejects.toThrow('cannot open');
  });

  test('on a full disk cause status 507 without a partial write', async () => {
    const reported: unknown[] = [];
    const report = (error: unknown) => reported.push(error);
    await running({ report }, async (service) => {
      const call = caller(service);
      service.store.limitPages(0);
      const full = await call('PUT', '/v1/orgs/org_acme/teams', { title: 'x'.repeat(64) });
      for (let at = 0; at < 200 && full.status === 201; at += 1) {
        Object.assign(full, await call('PUT', '/v1/orgs/org_acme/teams', { title: 'x'.repeat(64) }));
      }
      expect([full.status, full.body.error.message]).toEqual([507, 'the disk of the service is full']);
      expect(String(reported[0])).toMatch(/full/);
      const teams = (await call('GET', '/v1/orgs/org_acme/teams?limit=1000')).body.items.length;
      service.store.limitPages(1_000_000);
      expect((await call('PUT', '/v1/orgs/org_acme/teams', { title: 'T' })).status).toBe(201);
      expect((await call('GET', '/v1/orgs/org_acme/teams?limit=1000')).body.items).toHaveLength(teams + 1);
      expect(brokenInvariants(service)).toEqual([]);
    });
  });
});

/** Sends bytes; returns the data received until the connection was closed. */
function raw(service: Service, ...parts: readonly string[]): Promise<string> {
  return new Promise((done, fail) => {
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => done(text));
    socket.on('error', (error: NodeJS.ErrnoException) => (text === '' ? fail(error) : done(text)));
    for (const part of parts) socket.write(part);
  });
}

const last = (service: Service) => `Authorization: Bearer ${service.token}\r\nConnection: close\r\n\r\n`;

describe('sockets', () => {
  test('are closed with 408 if a request does not arrive', async () => {
    await running({ requestTimeoutMs: 200 }, async (service) => {
      const head = `GET /v1/orgs HTTP/1.1\r\nHost: x\r\nAuthorization`;
      const answers = await Promise.race([
        Promise.all([head, head, head].map((part) => raw(service, part))),
        after(patience(20_000), ['still open']),
      ]);
      for (const text of answers) expect(text).toMatch(/^HTTP\/1.1 408 [\s\S]*"code":408/);
    });
  });

  test('receive 413 before a body that is too large has arrived', async () => {
    await running({}, async (service) => {
      const head = `PUT /v1/orgs/org_acme/teams HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
      const declared = await raw(service, `${head}Content-Length: 104857600\r\n\r\n`, 'x'.repeat(1000));
      expect(declared).toMatch(/^HTTP\/1.1 413 [\s\S]*"code":413/);
      const piece = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
      const endless = await raw(service, `${head}Transfer-Encoding: chunked\r\n\r\n`, piece, piece);
      expect(endless).toMatch(/^HTTP\/1.1 413 /);
    });
  });

  test('accept absolute targets and reject missing or duplicate headers', async () => {
    const lines: string[] = [];
    await running({ log: (line) => lines.push(line) }, async (service) => {
      const whole = `GET ${service.url}/v1/orgs?limit=1 HTTP/1.1\r\nHost: x\r\n${last(service)}`;
      expect(await raw(service, whole)).toMatch(/^HTTP\/1.1 200 /);
      const refused = [
        `GET /v1/orgs HTTP/1.1\r\n${last(service)}`,
        `GET /v1/orgs HTTP/1.1\r\nHost: x\r\nHost: y\r\n${last(service)}`,
        `GET /v1/orgs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer other\r\n${last(service)}`,
      ];
      for (const request of refused)
        expect(await raw(service, request)).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":400/);
      await raw(service, `GET /v1/spaces/x?shareKey=k_secret&a=b HTTP/1.1\r\nHost: x\r\n${last(service)}`);
      expect(lines.at(-1)).toMatch(/^GET \/v1\/spaces\/x\?shareKey=…&a=b 400/);
    });
  });
});

test('validates hostnames and e-mail domains by the document', async () => {
  await running({}, async (service) => {
    const status = async (body: object) => (await caller(service)('PATCH', '/v1/orgs/org_acme', body)).status;
    expect(await status({ hostname: '../..' })).toBe(400);
    expect(await status({ hostname: 'acme-docs' })).toBe(200);
    expect(await status({ emailDomains: ['A.test', 'a.test'] })).toBe(400);
  });
});

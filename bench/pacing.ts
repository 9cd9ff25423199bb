/**
 * How close a plan comes to what a service allows: a plan of some 2,000 reads against the embedded service behind a gateway
 * that allows 20 requests a second (a token bucket), and answers 429 to all others, with and without Retry-After. Takes
 * about three and a half minutes; `npm run bench pacing` prints the share of what is allowed, and whether anything
 * failed. Fails below 85 %.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import { openSession } from '../src/run/open-session.ts';
import { startService } from '../src/server/index.ts';

const siteCount = 1998;
const perSecond = 20;
const burst = 20;
/** What the way there and back takes; a service across the network takes about as long. */
const latency = 50;

const sites = Array.from({ length: siteCount }, (_, at) => ({ id: `site_${at}`, title: `Site ${at}` }));
const manifest = [
  'octavo: 1',
  'organization: { id: org_acme }',
  'sites:',
  // Share links are read site by site.
  ...sites.map(
    ({ id, title }, at) => `  s${at}: { id: ${id}, title: ${title}, shareLinks: { all: { name: All } } }`,
  ),
].join('\n');

const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
const service = await startService({
  data: ':memory:',
  seed: { organizations: [{ id: 'org_acme', title: 'Acme', sites }] },
});
try {
  writeFileSync(join(folder, 'acme.yaml'), `${manifest}\n`);
  for (const retryAfter of [false, true]) await bench(retryAfter);
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}

async function bench(retryAfter: boolean): Promise<void> {
  const gateway = await startGateway(retryAfter);
  let reads = 0;
  let failed = 0;
  const client = createClient({
    baseUrl: gateway.url,
    token: service.token,
    userAgent: 'octavo-bench',
    clock: { now: Date.now, random: Math.random, sleep: (milliseconds) => wait(milliseconds) },
    onRequest: (event) => {
      if (event.retryInMs !== undefined) return;
      reads += 1;
      if (event.failed) failed += 1;
    },
  });
  const session = await openSession({ cwd: folder, env: {}, files: ['.'], service: client });
  const begin = performance.now();
  const planned = await session.plan().catch((error: unknown) => String(error));
  const seconds = (performance.now() - begin) / 1000;
  await session.close();
  await client.close();
  const turnedAway = gateway.close();
  // The burst is a gift, and not counted.
  const share = (reads - burst) / perSecond / seconds;
  process.stdout.write(
    `a plan of ${reads} reads at ${perSecond}/s, Retry-After: ${retryAfter ? 'yes' : 'no'}: ${seconds.toFixed(1)} s, ` +
      `ratio to what is allowed ${share.toFixed(3)}, failures ${failed}, turned away ${turnedAway}` +
      `${typeof planned === 'string' ? `: ${planned}` : ''}\n`,
  );
  if (share < 0.85 || failed > 0 || typeof planned === 'string') process.exitCode = 1;
}

/** Closing tells how many requests were turned away. */
async function startGateway(
  retryAfter: boolean,
): Promise<{ readonly url: string; readonly close: () => number }> {
  let tokens = burst;
  let filledAt = performance.now();
  let turnedAway = 0;
  const target = new URL(service.url);
  const server = createServer(async (incoming, outgoing) => {
    const now = performance.now();
    tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000);
    filledAt = now;
    const isTaken = tokens >= 1;
    if (isTaken) tokens -= 1;
    else turnedAway += 1;
    await wait(latency);
    if (!isTaken) {
      outgoing.writeHead(429, retryAfter ? { 'retry-after': '1' } : {});
      outgoing.end('{"error":{"code":429,"message":"Too many requests"}}');
      return;
    }
    const { method, url, headers } = incoming;
    requestHttp({ host: target.hostname, port: target.port, path: url, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
      return turnedAway;
    },
  };
}

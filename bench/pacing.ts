/**
 * How close a plan comes to what a service allows: a plan of some 2,000 reads against the embedded service behind a gateway
 * that allows 20 requests a second (a token bucket), and answers 429 to all others, with and without Retry-After. Takes
 * about three and a half minutes. Fails below 85 % of what is allowed, or when a request fails.
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
import { count, type Findings, tell, time } from './support/findings.ts';

const siteCount = 1998;
const perSecond = 20;
const burst = 20;
/** What the way there and back takes; a service across the network takes about as long. */
const latency = 50;
/** The part of what is allowed that is to be used. */
const goal = 0.85;

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
  const lines = [await bench(false), await bench(true)];
  tell('pacing', [
    {
      title: 'A plan against a service that slows it down',
      about:
        `A plan of ${count(siteCount)} sites with share links, ${latency} ms a request, ${perSecond} requests a second allowed after a burst of ${burst}, and 429 for all others. ` +
        'The ratio is the requests a second by those allowed.',
      lines,
    },
  ]);
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}

async function bench(retryAfter: boolean): Promise<Findings['lines'][number]> {
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
  if (typeof planned === 'string') throw new Error(planned);
  if (share < goal || failed > 0) process.exitCode = 1;
  return {
    name: retryAfter ? 'with Retry-After' : 'without Retry-After',
    values: {
      reads: count(reads),
      took: time(seconds * 1000),
      failures: count(failed),
      'turned away': count(turnedAway),
    },
    ratio: share,
    atLeast: goal,
  };
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

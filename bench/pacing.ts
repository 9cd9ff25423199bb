/**
 * How close a plan comes to the limits of a service: a plan of about 2,000 reads against the embedded service behind a gateway that
 * allows 20 requests a second (a token bucket) and answers others with 429, with and without Retry-After; a plan of about 80 reads
 * behind one that rejects requests at random; and one of 18 reads behind one that announces its windows.
 * Takes about four and a half minutes. Fails below 85 % of the allowed rate, above four times the undisturbed time, above 1.25 times the
 * duration of the windows, or if a request fails.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import { openSession } from '../src/run/open-session.ts';
import { planRun } from '../src/run/plan-run.ts';
import { startService } from '../src/server/index.ts';
import { count, type Findings, tell, time } from './support/findings.ts';

const siteCount = 1998;
const perSecond = 20;
const burst = 20;
/** Round-trip time; a service across the network takes about as long. */
const latency = 50;
/** Share of the allowed rate that a plan should use. */
const goal = 0.85;

/** Maximum slowdown of a plan by random rejections. */
const mostSlowed = 4;
const smallCount = 77;

/** Requests per window, and its length in seconds. */
const windowed = { limit: 8, seconds: 20 };
const windowedReads = 18;
/** Number of sites: one read each, and two reads for all. */
const fewCount = windowedReads - 2;
/** Maximum time, relative to the time of the windows. */
const mostWaited = 1.25;

const sites = Array.from({ length: siteCount }, (_, at) => ({ id: `site_${at}`, title: `Site ${at}` }));
const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
const service = await startService({
  data: ':memory:',
  seed: {
    organizations: [
      { id: 'org_acme', title: 'Acme', sites },
      {
        id: 'org_small',
        title: 'Small',
        sites: sites.slice(0, smallCount).map(({ id, title }) => ({ id: `small_${id}`, title })),
      },
      {
        id: 'org_few',
        title: 'Few',
        sites: sites.slice(0, fewCount).map(({ id, title }) => ({ id: `few_${id}`, title })),
      },
    ],
  },
});
try {
  write('acme', 'org_acme', siteCount, '');
  write('small', 'org_small', smallCount, 'small_');
  write('few', 'org_few', fewCount, 'few_');
  const lines = [await limited(false), await limited(true)];
  const random = await rejectedAtRandom();
  const windows = await limitedByWindows();
  tell('pacing', [
    {
      title: 'A plan against a service that slows it down',
      about:
        `A plan of ${count(siteCount)} sites with share links, ${latency} ms a request, ${perSecond} requests a second allowed after a burst of ${burst}, and 429 for all others. ` +
        'The ratio is the requests a second by those allowed.',
      lines,
    },
    {
      title: 'A plan against a service that rejects requests at random',
      about:
        `A plan of ${smallCount} sites with share links, ${latency} ms a request, one after the other; a part of the requests gets 429 with \`Retry-After: 0\`. ` +
        'The ratio is the time by that without rejections.',
      lines: random,
    },
    {
      title: 'A plan against a service that announces its windows',
      about:
        `A plan of ${windowedReads} reads, ${latency} ms a request, ${windowed.limit} allowed in ${windowed.seconds} s, with \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\`, and 429 for all others. ` +
        'The ratio is the time by that of the windows.',
      lines: windows,
    },
  ]);
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Share links are read site by site. */
function write(name: string, organization: string, length: number, prefix: string): void {
  mkdirSync(join(folder, name));
  const entries = sites
    .slice(0, length)
    .map(
      ({ id, title }, at) =>
        `  s${at}: { id: ${prefix}${id}, title: ${title}, shareLinks: { all: { name: All } } }`,
    );
  const lines = ['octavo: 1', `organization: { id: ${organization} }`, 'sites:', ...entries];
  writeFileSync(join(folder, name, 'manifest.yaml'), `${lines.join('\n')}\n`);
}

async function limited(retryAfter: boolean): Promise<Findings['lines'][number]> {
  let tokens = burst;
  let filledAt = performance.now();
  const takes = () => {
    const now = performance.now();
    tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000);
    filledAt = now;
    const isTaken = tokens >= 1;
    if (isTaken) tokens -= 1;
    return isTaken;
  };
  const { seconds, reads, failed, turnedAway } = await planThrough('acme', {
    takes,
    ...(retryAfter ? { retryAfter: '1' } : {}),
  });
  // The initial burst is not counted.
  const share = (reads - burst) / perSecond / seconds;
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

async function rejectedAtRandom(): Promise<Findings['lines']> {
  const lines: Findings['lines'][number][] = [];
  let undisturbed = 0;
  for (const part of [0, 0.05, 0.1, 0.22]) {
    const { seconds, reads, failed, turnedAway } = await planThrough('small', {
      takes: () => Math.random() >= part,
      retryAfter: '0',
      concurrency: 1,
    });
    if (part === 0) undisturbed = seconds;
    const ratio = seconds / undisturbed;
    if (ratio > mostSlowed || failed > 0) process.exitCode = 1;
    lines.push({
      name: `${Math.round(part * 100)} % rejected`,
      values: { reads: count(reads), took: time(seconds * 1000), 'turned away': count(turnedAway) },
      ratio,
      atMost: mostSlowed,
    });
  }
  return lines;
}

async function limitedByWindows(): Promise<Findings['lines']> {
  let left = 0;
  let endsAt = 0;
  const { seconds, reads, failed, turnedAway } = await planThrough('few', {
    takes: () => {
      const now = Date.now();
      if (now >= endsAt) {
        left = windowed.limit;
        endsAt = now + windowed.seconds * 1000;
      }
      left -= 1;
      return left >= 0;
    },
    headers: () => ({
      'x-ratelimit-limit': windowed.limit,
      'x-ratelimit-remaining': Math.max(0, left),
      'x-ratelimit-reset': Math.ceil(endsAt / 1000),
    }),
  });
  const ratio = seconds / (Math.floor((reads - 1) / windowed.limit) * windowed.seconds);
  if (ratio > mostWaited || failed > 0) process.exitCode = 1;
  const values = {
    reads: count(reads),
    took: time(seconds * 1000),
    failures: count(failed),
    'turned away': count(turnedAway),
  };
  return [{ name: `${windowed.limit} in ${windowed.seconds} s`, values, ratio, atMost: mostWaited }];
}

interface Gate {
  readonly takes: () => boolean;
  /** Headers of each response, at the time when the request was counted. */
  readonly headers?: () => Readonly<Record<string, string | number>>;
  readonly retryAfter?: string;
  readonly concurrency?: number;
}

async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, signal && { signal }).catch(() => undefined);
}

async function planThrough(name: string, gate: Gate) {
  const { concurrency } = gate;
  const gateway = await startGateway(gate);
  let reads = 0;
  let failed = 0;
  const client = createClient({
    baseUrl: gateway.url,
    token: service.token,
    userAgent: 'octavo-bench',
    clock: { now: Date.now, random: Math.random, sleep },
    ...(concurrency === undefined ? {} : { concurrency }),
    onRequest: (event) => {
      if (event.retryInMs !== undefined) return;
      reads += 1;
      if (event.failed) failed += 1;
    },
  });
  const session = await openSession({ cwd: join(folder, name), env: {}, files: ['.'], service: client });
  const begin = performance.now();
  const planned = await planRun(session).catch((error: unknown) => String(error));
  const seconds = (performance.now() - begin) / 1000;
  await session.service.close();
  await client.close();
  const turnedAway = gateway.close();
  if (typeof planned === 'string') throw new Error(planned);
  return { seconds, reads, failed, turnedAway };
}

/** Returns the number of rejected requests when closed. */
async function startGateway({
  takes,
  headers: announced,
  retryAfter,
}: Gate): Promise<{ readonly url: string; readonly close: () => number }> {
  let turnedAway = 0;
  const target = new URL(service.url);
  const server = createServer(async (incoming, outgoing) => {
    const isTaken = takes();
    if (!isTaken) turnedAway += 1;
    const told = announced?.() ?? {};
    await wait(latency);
    if (!isTaken) {
      outgoing.writeHead(429, {
        ...told,
        ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
      });
      outgoing.end('{"error":{"code":429,"message":"Too many requests"}}');
      return;
    }
    const { method, url, headers } = incoming;
    requestHttp({ host: target.hostname, port: target.port, path: url, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, { ...response.headers, ...told });
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

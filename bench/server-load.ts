/**
 * How the embedded service performs with many concurrent clients: 64, with 70 % reads, on an organization of 50,000 objects in a file;
 * and with single requests. Has no goals.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../src/server/index.ts';
import { crowd, crowdedSeed } from './support/crowded-seed.ts';
import { count, type Findings, size, tell, time } from './support/findings.ts';
import { timed, timesOf } from './support/measure.ts';

const clients = 64;
const seconds = 30;
const runs = 60;
const org = '/v1/orgs/org_crowd';

interface Shot {
  readonly name: string;
  readonly method: string;
  readonly path: (at: number) => string;
  readonly body?: (at: number) => object;
}

const reads: readonly Shot[] = [
  { name: 'space', method: 'GET', path: (at) => `/v1/spaces/sp_${at % crowd.spaces}` },
  { name: '50 members', method: 'GET', path: () => `${org}/members?limit=50` },
  { name: '1,000 members', method: 'GET', path: () => `${org}/members?limit=1000` },
  { name: '50 sites', method: 'GET', path: () => `${org}/sites?limit=50` },
  {
    name: 'sites by space',
    method: 'GET',
    path: (at) => `${org}/sites?space=sp_${(at * 50 + 1) % crowd.siteSpaces}`,
  },
  { name: '50 collections', method: 'GET', path: () => `${org}/collections?limit=50` },
  {
    name: "50 of a member's spaces",
    method: 'GET',
    path: (at) => `${org}/members/user_${at % crowd.members}/spaces?limit=50`,
  },
  { name: 'search, many hits', method: 'GET', path: () => `${org}/search?query=space` },
  { name: 'search, none', method: 'GET', path: () => `${org}/search?query=nothing` },
];

const afterWrite: Shot = {
  name: 'member after a write of a space',
  method: 'GET',
  path: (at) => `${org}/members/user_${at % crowd.members}`,
};

const writes: readonly Shot[] = [
  {
    name: 'PATCH space',
    method: 'PATCH',
    path: (at) => `/v1/spaces/sp_${at % crowd.spaces}`,
    body: (at) => ({ title: `Space, ${at}` }),
  },
  {
    name: 'PATCH collection',
    method: 'PATCH',
    path: (at) => `/v1/collections/col_${at % crowd.collections}`,
    body: (at) => ({ title: `Collection, ${at}` }),
  },
  {
    name: 'PUT team',
    method: 'PUT',
    path: () => `${org}/teams`,
    body: (at) => ({ title: `T ${at}` }),
  },
  {
    name: 'POST site',
    method: 'POST',
    path: () => `${org}/sites`,
    body: (at) => ({ title: `New ${at}` }),
  },
  {
    name: 'POST collection at the root',
    method: 'POST',
    path: () => `${org}/collections`,
    body: (at) => ({ title: `New ${at}` }),
  },
  {
    name: 'duplicate at the root',
    method: 'POST',
    path: (at) => `/v1/spaces/sp_${at % (crowd.spaces / 2)}/duplicate`,
  },
  {
    name: 'move at the root',
    method: 'POST',
    path: (at) => `/v1/spaces/sp_${at % (crowd.spaces / 2)}/move`,
    body: () => ({ position: {} }),
  },
];

/** Reads of the mix: single objects and pages, which programs send most. */
const mixed = [...reads.slice(0, 2), ...reads.slice(3, 7), afterWrite];

type Send = (shot: Shot, at: number) => Promise<unknown>;

const [, script = '', served] = process.argv;
if (served === undefined) await bench();
else await serve(served);

/** Runs the service in its own process, to measure its memory separately; reports the peak. */
async function serve(data: string): Promise<void> {
  const service = await startService({ data });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 200);
  process.send?.({ url: service.url, token: service.token });
  await once(process, 'message');
  clearInterval(watch);
  process.send?.({ peak });
  await service.close();
  process.disconnect();
}

async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
  try {
    const data = join(folder, 'bench.db');
    const seeded = await timed(async () => (await startService({ data, seed: crowdedSeed() })).close());
    const child = fork(script, [data]);
    const [{ url, token }] = await once(child, 'message');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const send: Send = async ({ method, path, body }, at) => {
      const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body(at)) }) };
      const answer = await fetch(url + path(at), sent);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path(at)}: ${answer.status} ${text}`);
    };
    const tables = [await single(send), await load(send)];
    child.send('end');
    const [{ peak }] = await once(child, 'message');
    tell('server-load', [
      ...tables,
      {
        title: 'The process of the loaded service',
        about: 'With that organization, after all these requests.',
        lines: [
          { name: 'memory at most', values: { '': size(peak) } },
          { name: 'on disk', values: { '': size(statSync(data).size) } },
          { name: 'seeding', values: { '': time(seeded) } },
        ],
      },
    ]);
    await once(child, 'exit');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Uses a single client, with one request at a time. */
async function single(send: Send): Promise<Findings> {
  const [patch] = writes;
  const lines: Findings['lines'][number][] = [];
  let smallest: number | undefined;
  for (const shot of [...reads, ...writes, afterWrite]) {
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      if (shot === afterWrite && patch !== undefined) await send(patch, run);
      times.push(await timed(() => send(shot, run * 37)));
    }
    const { median, p99 } = timesOf(times);
    smallest ??= median;
    lines.push({
      name: shot.name,
      values: { median: time(median), '99th percentile': time(p99) },
      ratio: median / smallest,
    });
  }
  return {
    title: 'One client',
    about: `An organization of 50,000 objects in a file; ${runs} requests each, one at a time. The ratio is the median by that of reading a space.`,
    lines,
  };
}

/** Runs all clients concurrently; each sends its next request after the last response. */
async function load(send: Send): Promise<Findings> {
  const times = { reads: [] as number[], writes: [] as number[] };
  let slowest = { name: '', ms: 0 };
  let at = 0;
  let failures = 0;
  const until = performance.now() + seconds * 1000;
  const client = async () => {
    while (performance.now() < until) {
      at += 1;
      // Seven of ten requests are reads, in a fixed order that mixes well.
      const kind = (at * 7) % 10 < 7 ? 'reads' : 'writes';
      const shots = kind === 'reads' ? mixed : writes;
      const shot = shots[Math.floor(at / 10 + at * 3) % shots.length];
      if (shot === undefined) continue;
      try {
        const ms = await timed(() => send(shot, at * 31));
        times[kind].push(ms);
        if (ms > slowest.ms) slowest = { name: shot.name, ms };
      } catch {
        failures += 1;
      }
    }
  };
  const took = await timed(() => Promise.all(Array.from({ length: clients }, client)));
  const rate = ((times.reads.length + times.writes.length) / took) * 1000;
  const line = (name: string, of: readonly number[]) => {
    const { median, p99 } = timesOf(of);
    return {
      name,
      values: { requests: count(of.length), median: time(median), '99th percentile': time(p99) },
    };
  };
  return {
    title: `${clients} clients at once`,
    about:
      `The same organization for ${seconds} s, seven of ten requests are reads: ${count(Math.round(rate))} requests a second, ` +
      `${count(failures)} failures. The slowest was ${slowest.name}, with ${time(slowest.ms)}.`,
    lines: [line('reads', times.reads), line('writes', times.writes)],
  };
}

/**
 * How the embedded service bears many clients at once: 64 of them, 70 % reads, on an organization of 50,000 objects in a file; and
 * single requests on it. Prints; judges nothing. `formerly` is what the service took before its lists were read by cursor and
 * its spaces counted in SQL, on two busy cores.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../src/server/index.ts';
import { crowd, crowdedSeed } from './support/crowded-seed.ts';
import { timed } from './support/measure.ts';

const clients = 64;
const seconds = 30;
const runs = 60;
const org = '/v1/orgs/org_crowd';

interface Shot {
  readonly name: string;
  readonly method: string;
  readonly path: (at: number) => string;
  readonly body?: (at: number) => object;
  /** Median and 99th percentile of before, in milliseconds. */
  readonly formerly?: readonly [median: number, p99: number];
}

const reads: readonly Shot[] = [
  { name: 'space', method: 'GET', path: (at) => `/v1/spaces/sp_${at % crowd.spaces}`, formerly: [1.1, 10.6] },
  { name: '50 members', method: 'GET', path: () => `${org}/members?limit=50`, formerly: [1.2, 848] },
  { name: '1,000 members', method: 'GET', path: () => `${org}/members?limit=1000`, formerly: [9.7, 21] },
  { name: '50 sites', method: 'GET', path: () => `${org}/sites?limit=50`, formerly: [0.9, 5.6] },
  {
    name: 'sites by space',
    method: 'GET',
    path: (at) => `${org}/sites?space=sp_${(at * 50 + 1) % crowd.siteSpaces}`,
    formerly: [4.1, 9.7],
  },
  { name: '50 collections', method: 'GET', path: () => `${org}/collections?limit=50`, formerly: [71, 86] },
  {
    name: "50 of a member's spaces",
    method: 'GET',
    path: (at) => `${org}/members/user_${at % crowd.members}/spaces?limit=50`,
    formerly: [188, 237],
  },
  { name: 'search, many hits', method: 'GET', path: () => `${org}/search?query=space`, formerly: [222, 318] },
  { name: 'search, none', method: 'GET', path: () => `${org}/search?query=nothing`, formerly: [85, 98] },
];

const afterWrite: Shot = {
  name: 'member after a write of a space',
  method: 'GET',
  path: (at) => `${org}/members/user_${at % crowd.members}`,
  formerly: [186, 249],
};

const writes: readonly Shot[] = [
  {
    name: 'PATCH space',
    method: 'PATCH',
    path: (at) => `/v1/spaces/sp_${at % crowd.spaces}`,
    body: (at) => ({ title: `Space, ${at}` }),
    formerly: [3.7, 17],
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
    formerly: [1.6, 11],
  },
  {
    name: 'POST site',
    method: 'POST',
    path: () => `${org}/sites`,
    body: (at) => ({ title: `New ${at}` }),
    formerly: [1.5, 10],
  },
  {
    name: 'POST collection at the root',
    method: 'POST',
    path: () => `${org}/collections`,
    body: (at) => ({ title: `New ${at}` }),
    formerly: [36, 43],
  },
  {
    name: 'duplicate at the root',
    method: 'POST',
    path: (at) => `/v1/spaces/sp_${at % (crowd.spaces / 2)}/duplicate`,
    formerly: [36, 48],
  },
  {
    name: 'move at the root',
    method: 'POST',
    path: (at) => `/v1/spaces/sp_${at % (crowd.spaces / 2)}/move`,
    body: () => ({ position: {} }),
    formerly: [41, 56],
  },
];

/** The reads of the mix: those of single objects and pages, as programs send them most. */
const mixed = [...reads.slice(0, 2), ...reads.slice(3, 7), afterWrite];

/** What was measured before: requests a second, 99th percentiles of reads and writes in milliseconds, memory in MiB. */
const former = { rate: 21, reads: 6100, writes: 6800, memory: 306 };

type Send = (shot: Shot, at: number) => Promise<unknown>;

const [, script = '', served] = process.argv;
if (served === undefined) await bench();
else await serve(served);

/** The service in a process of its own, so that its memory is its alone; reports the most that it had. */
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
    process.stdout.write(`50,000 objects, seeded in ${(seeded / 1000).toFixed(1)} s\n\n`);
    await single(send);
    await load(send);
    child.send('end');
    const [{ peak }] = await once(child, 'message');
    const mebibytes = peak / 2 ** 20;
    const disk = Math.round(statSync(data).size / 2 ** 20);
    process.stdout.write(
      `memory of the service, at most: ${Math.round(mebibytes)} MiB (formerly ${former.memory}: ` +
        `${(mebibytes / former.memory).toFixed(2)} times); on disk: ${disk} MiB\n`,
    );
    await once(child, 'exit');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One client, one request at a time. */
async function single(send: Send): Promise<void> {
  const [patch] = writes;
  const rows = [['one client, ms', 'median', 'p99', 'formerly', '', 'ratio of medians']];
  for (const shot of [...reads, ...writes, afterWrite]) {
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      if (shot === afterWrite && patch !== undefined) await send(patch, run);
      times.push(await timed(() => send(shot, run * 37)));
    }
    const [median, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
    const [before, worst] = shot.formerly ?? [];
    rows.push([
      shot.name,
      median.toFixed(1),
      p99.toFixed(1),
      before === undefined ? '' : before.toFixed(1),
      worst === undefined ? '' : worst.toFixed(1),
      before === undefined ? '' : (median / before).toFixed(2),
    ]);
  }
  const widths = [0, 1, 2, 3, 4, 5].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ');
  process.stdout.write(`${rows.map((row) => line(row).trimEnd()).join('\n')}\n\n`);
}

/** All clients at once, each sending its next request when the last was answered. */
async function load(send: Send): Promise<void> {
  const times = { reads: [] as number[], writes: [] as number[] };
  let slowest = { name: '', ms: 0 };
  let at = 0;
  let failures = 0;
  const until = performance.now() + seconds * 1000;
  const client = async () => {
    while (performance.now() < until) {
      at += 1;
      // Seven of ten are reads, in a fixed order that mixes well.
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
  const of = (kind: 'reads' | 'writes') => {
    const p99 = percentile(times[kind], 0.99);
    return (
      `${kind}: p50 ${percentile(times[kind], 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms ` +
      `(formerly ${former[kind]}: ${(p99 / former[kind]).toFixed(3)} times)`
    );
  };
  process.stdout.write(
    `${clients} clients, ${seconds} s: ${rate.toFixed(0)} requests a second (formerly ${former.rate}: ` +
      `${(rate / former.rate).toFixed(1)} times), ${failures} failures\n${of('reads')}\n${of('writes')}\nthe slowest: ${slowest.name}, ${slowest.ms.toFixed(0)} ms\n`,
  );
}

function percentile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/**
 * How close the embedded service comes to the limit of this stack: requests a second for one object and for pages, compared with bare
 * node:http and libsql returning the same bytes from one table. Each runs in its own process, alternately.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { byTurns, median, ratioOf } from './support/compare.ts';
import { count, type Findings, tell, time } from './support/findings.ts';
import { largeSeed } from './support/large-seed.ts';
import { octavo } from './support/process.ts';

const connections = 16;
const rounds = 9;
const seconds = 1;
const sites = 20_000;
const members = 5000;
const token = 'bench';
const org = '/v1/orgs/org_large';

/** Requests with their goals: the share of the floor's requests a second. */
const shots: readonly (readonly [name: string, path: string, atLeast?: number])[] = [
  ['one object', `${org}/sites/site_77`, 0.8],
  ['page of 50', `${org}/sites?limit=50`],
  ['page of 1,000', `${org}/sites?limit=1000`],
];

/** Requests a second, and their median duration. */
interface Rate {
  readonly perSecond: number;
  readonly latency: number;
}

const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
try {
  const seed = join(folder, 'seed.json');
  writeFileSync(seed, JSON.stringify(largeSeed(sites, members)));
  tell('server-floor', [await bench('in memory', seed, []), await bench('in a file', seed, ['a'])]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bench(where: string, seed: string, inFile: readonly string[]): Promise<Findings> {
  const data = inFile.flatMap((name) => ['--data', join(folder, `${name}.db`)]);
  const served = spawn(process.execPath, [
    octavo,
    'serve',
    '--port',
    '0',
    '--seed',
    seed,
    '--token',
    token,
    ...data,
  ]);
  const floor: ChildProcess[] = [];
  try {
    const url = await addressOf(served);
    const answers = join(folder, 'answers.json');
    const texts = await Promise.all(shots.map(async ([, path]) => [path, await ask(url, path)] as const));
    writeFileSync(answers, JSON.stringify(Object.fromEntries(texts)));
    const script = fileURLToPath(new URL('bare-service-process.mjs', import.meta.url));
    const bare = fork(script, [answers, ...inFile.map((name) => join(folder, `${name}-floor.db`))]);
    floor.push(bare);
    const [{ url: floorUrl }] = (await once(bare, 'message')) as [{ readonly url: string }];
    const lines: Findings['lines'][number][] = [];
    for (const [name, path, atLeast] of shots)
      lines.push(await lineOf(name, { url, floorUrl, path, atLeast }));
    return {
      title: `The embedded service, ${where}, against bare node:http and libsql`,
      about: `${count(sites)} sites, ${connections} connections; medians of ${rounds} rounds of ${seconds} s by turns.`,
      lines,
    };
  } finally {
    served.kill('SIGINT');
    for (const child of floor) child.disconnect();
  }
}

async function lineOf(
  name: string,
  of: {
    readonly url: string;
    readonly floorUrl: string;
    readonly path: string;
    readonly atLeast: number | undefined;
  },
): Promise<Findings['lines'][number]> {
  const rates = await byTurns(rounds, {
    service: () => rateOf(of.url, of.path),
    floor: () => rateOf(of.floorUrl, of.path),
  });
  const values = (pick: keyof Rate, who: keyof typeof rates) => rates[who].map((rate) => rate[pick]);
  return {
    name,
    values: {
      'a second': count(Math.round(median(values('perSecond', 'service')))),
      floor: count(Math.round(median(values('perSecond', 'floor')))),
      latency: time(median(values('latency', 'service'))),
      'latency of the floor': time(median(values('latency', 'floor'))),
    },
    ratio: ratioOf(values('perSecond', 'service'), values('perSecond', 'floor')),
    ...(of.atLeast === undefined ? {} : { atLeast: of.atLeast }),
  };
}

/** Requests as fast as responses arrive, on all connections. */
async function rateOf(url: string, path: string): Promise<Rate> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const latencies: number[] = [];
  const started = performance.now();
  const client = async () => {
    while (performance.now() - started < seconds * 1000) {
      const sent = performance.now();
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path,
        headers: { authorization: `Bearer ${token}` },
      });
      await body.arrayBuffer();
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const took = performance.now() - started;
  await pool.destroy();
  return { perSecond: (latencies.length / took) * 1000, latency: median(latencies) };
}

async function ask(url: string, path: string): Promise<string> {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.text();
}

/** Address that the started service prints. */
async function addressOf(child: ChildProcess): Promise<string> {
  let text = '';
  child.stderr?.resume();
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    const url = /Serving on (\S+)/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`the service did not start: ${text}`);
}

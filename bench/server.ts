/**
 * How the embedded service handles a large organization: pages of lists and searches over HTTP, relative to the smallest page of the
 * same list, and the memory of its process. Has no goals.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../src/server/index.ts';
import { count, type Findings, size, tell, time } from './support/findings.ts';
import { largeSeed } from './support/large-seed.ts';
import { measure, type Times, timed } from './support/measure.ts';

const siteCount = 20_000;
const memberCount = 100_000;
const runs = 31;

/** Lists and searches: a name, and the path below the organization. */
const reads: readonly (readonly [name: string, path: string])[] = [
  ['sites', '/sites'],
  ['sites, by title', '/sites?title=hub%201'],
  ['sites, published', '/sites?published=true'],
  ['members', '/members'],
  ['members, by role', '/members?role=edit'],
  ['members, search', '/members?search=number'],
  ['search of the organization', '/search?query=guide'],
];

type Line = Findings['lines'][number];

/** Reads a path of the organization; throws if that fails. */
type Ask = (path: string) => Promise<unknown>;

const [, script = '', served] = process.argv;
if (served === undefined) await bench();
else await serve(served);

/** Runs the service in its own process, to measure its memory separately. */
async function serve(data: string): Promise<void> {
  const service = await startService({ data });
  process.send?.({ url: service.url, token: service.token });
  await once(process, 'message');
  process.send?.({ resident: process.memoryUsage().rss });
  await service.close();
  process.disconnect();
}

async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
  try {
    const data = join(folder, 'bench.db');
    const seed = largeSeed(siteCount, memberCount);
    const seeded = await timed(async () => (await startService({ data, seed })).close());
    const child = fork(script, [data]);
    const [{ url, token }] = await once(child, 'message');
    const ask: Ask = async (path) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/v1/orgs/org_large${path}`, { headers });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    const lines: Line[] = [];
    for (const [name, path] of reads) lines.push(...(await linesOf(ask, name, path)));
    child.send('end');
    const [{ resident }] = await once(child, 'message');
    tell('server', [
      {
        title: 'Pages of a large organization',
        about:
          `The embedded service with ${count(siteCount)} sites and ${count(memberCount)} members in a file; ${runs} runs each. ` +
          'The ratio is the median by that of a page of 1 of the same list.',
        lines,
      },
      {
        title: 'The process of the service',
        about: 'With that organization, after these requests.',
        lines: [
          { name: 'memory', values: { '': size(resident) } },
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

/** Pages of one and of a thousand items, the first and a late one. */
async function linesOf(ask: Ask, name: string, path: string): Promise<readonly Line[]> {
  const of = (limit: number) => `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
  const smallest = await measure(runs, () => ask(of(1)));
  const line = (what: string, { median, p90 }: Times): Line => ({
    name: `${name}, ${what}`,
    values: { median: time(median), '90th percentile': time(p90) },
    ratio: median / smallest.median,
  });
  const lines = [
    line('page of 1', smallest),
    line('page of 1,000', await measure(runs, () => ask(of(1000)))),
  ];
  const late = await pageAfter(ask, of(1000), 9);
  return late === undefined
    ? lines
    : [...lines, line('10th page of 1,000', await measure(runs, () => ask(late)))];
}

/** Path of the page that follows after a number of pages; undefined if the list is shorter. */
async function pageAfter(ask: Ask, path: string, pages: number): Promise<string | undefined> {
  let at = path;
  for (let page = 0; page < pages; page += 1) {
    const { next } = (await ask(at)) as { readonly next?: { readonly page: string } };
    if (next === undefined) return undefined;
    at = `${path}&page=${encodeURIComponent(next.page)}`;
  }
  return at;
}

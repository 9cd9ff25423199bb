/**
 * How close an apply comes to the network's limit: creates, updates and deletes at 20 ms a request, against the longer of two
 * times that nothing can beat: the requests, so many at once, and the chain of requests that have to wait for each other; and
 * against bare undici that sends the same requests, where they are known beforehand: the service shares the machine and takes its time.
 * Whole processes, start included; until when the first change leaves is shown beside it. Takes some minutes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Seed } from '../src/server/index.ts';
import { median } from './support/compare.ts';
import { count, type Findings, tell, time } from './support/findings.ts';
import { octavo, runNode } from './support/process.ts';
import { inFolder, type ServiceUnderTest, startSeeded } from './support/service.ts';

type Line = Findings['lines'][number];
type Organization = Seed['organizations'][number];

const latency = 20;
const rounds = 3;
const creates = 1000;
const others = 400;
/** Requests at once. */
const levels = [8, 16];

const floorScript = fileURLToPath(new URL('floor-process.mjs', import.meta.url));
const each = <T>(number: number, make: (at: number) => T): T[] =>
  Array.from({ length: number }, (_, at) => make(at));
const head =
  'octavo: 1\norganization: { id: org_bench }\nsettings: { prune: unlisted, limits: { deletes: null, deletePercent: null } }\n';

/** What is there, what is to be, and how long the longest chain of requests is. */
interface Case {
  readonly name: string;
  readonly seed: Organization;
  readonly manifest: string;
  /** Requests of which each waits for the one before: reads in rounds, the changes, and the look after them. */
  readonly chain: number;
  /** The body of the change of that number; absent where bare undici cannot send the changes, since they hold ids of objects that they make. */
  readonly body?: (at: number) => unknown;
}

/** What a run of the command, or of bare undici, took. */
interface Run {
  readonly wall: number;
  readonly cpu: number;
  /** Milliseconds of CPU of the service. */
  readonly service: number;
}

interface ApplyRun extends Run {
  /** Milliseconds until the first change left. */
  readonly start: number;
  readonly requests: readonly string[];
}

const teamsSeed = each(others, (at) => ({ id: `team_${at}`, title: `Team ${at}` }));

const cases: readonly Case[] = [
  {
    name: '1,000 teams created',
    seed: organization({}),
    manifest: `teams:\n${each(creates, (at) => `  t${at}: { title: Team ${at} }\n`).join('')}`,
    chain: 4,
    body: (at) => ({ title: `Team ${at}` }),
  },
  {
    name: `${others} teams updated`,
    seed: organization({ teams: teamsSeed }),
    manifest: `teams:\n${each(others, (at) => `  t${at}: { id: team_${at}, title: Group ${at} }\n`).join('')}`,
    chain: 3,
    body: (at) => ({ title: `Group ${at}` }),
  },
  {
    name: `${others} teams deleted`,
    seed: organization({ teams: [...teamsSeed, { id: 'team_stays', title: 'Stays' }] }),
    manifest: 'teams: { stays: { id: team_stays, title: Stays } }\n',
    chain: 6,
    body: () => undefined,
  },
  sectionsCase('300 sections created in 100 sites', { sites: 100, perSite: 3 }),
  sectionsCase('100 sections created in one site', { sites: 1, perSite: 100 }),
];

const tables: Findings[] = [];
for (const parallelism of levels) tables.push(await bench(parallelism));
tell('apply-network', tables);

async function bench(parallelism: number): Promise<Findings> {
  const lines: Line[] = [];
  for (const one of cases) lines.push(await lineOf(one, parallelism));
  return {
    title: `An apply over the network, ${parallelism} requests at once`,
    about:
      `${latency} ms a request; medians of ${rounds} rounds of whole processes, by turns. ` +
      'The limit: the longer of all requests, so many at once, and the longest chain.',
    lines,
  };
}

async function lineOf(one: Case, parallelism: number): Promise<Line> {
  const applies: ApplyRun[] = [];
  const floors: Run[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const run = await withService(one, (service) => apply(one, service, parallelism));
    applies.push(run);
    const sent = requestsOf(one, run.requests);
    if (sent !== undefined) {
      floors.push(await withService(one, (service) => sendBare(sent, service, parallelism)));
    }
  }
  const requests = applies[0]?.requests.length ?? 0;
  const limit = Math.max((requests * latency) / parallelism, one.chain * latency);
  const of = <T extends Run>(runs: readonly T[], pick: (run: T) => number) => median(runs.map(pick));
  const wall = of(applies, (run) => run.wall);
  const floor = of(floors, (run) => run.wall);
  const ratios = applies.map((run) => run.wall / limit);
  return {
    name: one.name,
    values: {
      requests: count(requests),
      limit: time(limit),
      'undici alone': floors.length === 0 ? '' : time(floor),
      apply: time(wall),
      'until the first change': time(of(applies, (run) => run.start)),
      CPU: time(of(applies, (run) => run.cpu)),
      'CPU of the service': time(of(applies, (run) => run.service)),
      'undici / limit': floors.length === 0 ? '' : (floor / limit).toFixed(2),
      'apply / undici': floors.length === 0 ? '' : (wall / floor).toFixed(2),
    },
    ratio: { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) },
    atMost: 1.2,
  };
}

/** Each run has a service of its own, as it was before. */
async function withService<T>({ seed }: Case, deed: (service: ServiceUnderTest) => Promise<T>): Promise<T> {
  const service = await startSeeded({ organizations: [seed] }, latency);
  try {
    return await deed(service);
  } finally {
    await service.stop();
  }
}

function apply({ manifest }: Case, service: ServiceUnderTest, parallelism: number): Promise<ApplyRun> {
  return inFolder(new Map([['acme.yaml', head + manifest]]), async (folder) => {
    const options = { cwd: folder, env: { ...service.env, XDG_STATE_HOME: folder } };
    const args = [octavo, 'apply', '--auto-approve', '--parallelism', String(parallelism)];
    const before = await service.cpu();
    const begin = Date.now();
    const used = await runNode(args, options);
    const cpu = (await service.cpu()) - before;
    const requests = await service.requests();
    const { output } = await runNode([octavo, 'plan'], options);
    if (!output.includes('No changes')) throw new Error(`something is left:\n${output.slice(0, 2000)}`);
    return { ...used, service: cpu, start: firstChange(folder) - begin, requests };
  });
}

/** When the first change left, as the journal says. */
function firstChange(folder: string): number {
  const journals = join(folder, '.octavo', 'journal');
  const [name = ''] = readdirSync(journals);
  const lines = readFileSync(join(journals, name), 'utf8').trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly time: string });
  return Date.parse(entries.find(({ type }) => type === 'request')?.time ?? '');
}

/** What the apply sent, with the bodies of its changes. */
function requestsOf({ body }: Case, requests: readonly string[]): readonly unknown[] | undefined {
  if (body === undefined) return undefined;
  let changes = 0;
  return requests.map((line) => {
    // The mark of a page is good for the service alone that made it: bare undici asks for the first once more.
    const [method, path] = line.replace(/&page=[^ &]*/, '').split(' ');
    if (method === 'GET') return { method, path };
    changes += 1;
    return { method, path, body: body(changes - 1) };
  });
}

function sendBare(
  requests: readonly unknown[],
  service: ServiceUnderTest,
  parallelism: number,
): Promise<Run> {
  return inFolder(new Map([['requests.json', JSON.stringify(requests)]]), async (folder) => {
    const file = join(folder, 'requests.json');
    const before = await service.cpu();
    const used = await runNode([floorScript, file, service.url, service.token, String(parallelism)]);
    return { ...used, service: (await service.cpu()) - before };
  });
}

/** Sections of a site are created one after the other: their order is the order of their creation. */
function sectionsCase(name: string, { sites, perSite }: { sites: number; perSite: number }): Case {
  const section = (at: number) =>
    `      x${at}: { title: Section ${at}, path: section-${at}, spaces: { main: { space: one } } }\n`;
  const site = (at: number) =>
    `  s${at}:\n    id: site_${at}\n    sections:\n${each(perSite, section).join('')}`;
  return {
    name,
    seed: organization({
      spaces: [{ id: 'sp_one', title: 'One' }],
      sites: each(sites, (at) => ({ id: `site_${at}`, title: `Site ${at}`, sections: [] })),
    }),
    manifest: `spaces: { one: { id: sp_one } }\nsites:\n${each(sites, site).join('')}`,
    // Organization, sites, what is in them, the sections one by one, the last update, the look.
    chain: 3 + perSite + 1 + 1,
  };
}

function organization(more: Partial<Organization>): Organization {
  return { id: 'org_bench', title: 'Bench', ...more };
}

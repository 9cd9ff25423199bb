/**
 * How close an apply comes to the network's limit: creates, updates and deletes at 20 ms a request, compared with bare undici sending the
 * same requests, and with the larger of two lower bounds: the requests at full parallelism, and the longest chain of requests that
 * depend on each other. Measures whole processes, including the start, in virtual time (`support/virtual-time.cjs`), against recorded
 * responses that cost no time.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Seed } from '../src/server/index.ts';
import { byTurns, exponentOf, median, ratioOf } from './support/compare.ts';
import { count, type Findings, tell, time } from './support/findings.ts';
import { octavo, runNode, type Used } from './support/process.ts';
import { type Exchange, type Replay, record, replay } from './support/replay.ts';
import { inFolder, startSeeded } from './support/service.ts';

type Line = Findings['lines'][number];
type Organization = Seed['organizations'][number];

const latency = 20;
const rounds = 5;
const creates = 1000;
/** Number of creations, and runs of each apply, to measure the growth of its CPU time. */
const sizes: readonly (readonly [creations: number, rounds: number])[] = [
  [1000, 5],
  [3000, 3],
  [10_000, 3],
];
const others = 400;
/** Concurrent requests, and the goals for the creates. */
const levels: readonly (readonly [parallelism: number, atMost: number])[] = [
  [8, 1.3],
  [16, 1.6],
];

const floorScript = fileURLToPath(new URL('floor-process.mjs', import.meta.url));
const each = <T>(number: number, make: (at: number) => T): T[] =>
  Array.from({ length: number }, (_, at) => make(at));
const head =
  'octavo: 1\norganization: { id: org_bench }\nsettings: { prune: unlisted, limits: { changes: null, deletes: null, deletePercent: null } }\n';

/** Seed, desired manifests and longest chain of requests. */
interface Case {
  readonly name: string;
  readonly seed: Organization;
  readonly manifest: string;
  /** Length of the longest chain of dependent requests: rounds of reads, the changes, and the re-read after them. */
  readonly chain: number;
}

const teamsSeed = each(others, (at) => ({ id: `team_${at}`, title: `Team ${at}` }));

const cases: readonly Case[] = [
  newTeamsCase(creates),
  {
    name: `${others} teams updated`,
    seed: organization({ teams: teamsSeed }),
    manifest: `teams:\n${each(others, (at) => `  t${at}: { id: team_${at}, title: Group ${at} }\n`).join('')}`,
    chain: 3,
  },
  {
    name: `${others} teams deleted`,
    seed: organization({ teams: [...teamsSeed, { id: 'team_stays', title: 'Stays' }] }),
    manifest: 'teams: { stays: { id: team_stays, title: Stays } }\n',
    chain: 6,
  },
  sectionsCase('300 sections created in 100 sites', { sites: 100, perSite: 3 }),
  sectionsCase('100 sections created in one site', { sites: 1, perSite: 100 }),
];

const lines = new Map<number, Line[]>(levels.map(([parallelism]) => [parallelism, []]));
for (const one of cases) {
  const exchanges = await recorded(one);
  const service = await replay(exchanges, latency);
  for (const [parallelism, atMost] of levels)
    lines.get(parallelism)?.push(await lineOf(one, { exchanges, service, parallelism, atMost }));
  await service.stop();
}
const tables = [...lines].map(
  ([parallelism, own]): Findings => ({
    title: `An apply over the network, ${parallelism} requests at once`,
    about:
      `${latency} ms a request; virtual time, medians of ${rounds} rounds of whole processes, by turns. ` +
      'The limit: the longer of all requests, so many at once, and the longest chain.',
    lines: own,
  }),
);
tell('apply-network', [...tables, await growth()]);

interface Contest {
  readonly exchanges: readonly Exchange[];
  readonly service: Replay;
  readonly parallelism: number;
  readonly atMost: number;
}

async function lineOf(one: Case, { exchanges, service, parallelism, atMost }: Contest): Promise<Line> {
  const { applies, floor } = await byTurns(rounds, {
    applies: async () => {
      await service.again();
      return apply(one, service.env, parallelism);
    },
    floor: async () => {
      await service.again();
      return sendBare(exchanges, service, parallelism);
    },
  });
  const limit = Math.max((exchanges.length * latency) / parallelism, one.chain * latency);
  const times = (runs: readonly Used[]) => runs.map(({ virtual }) => virtual ?? Number.NaN);
  // Bare undici does not wait for dependencies between requests.
  const isChain = one.chain > 10;
  return {
    name: one.name,
    values: {
      requests: count(exchanges.length),
      limit: time(limit),
      'undici alone': isChain ? '' : time(median(times(floor))),
      apply: time(median(times(applies))),
      'apply, CPU': time(median(applies.map(({ cpu }) => cpu))),
      'apply / limit': (median(times(applies)) / limit).toFixed(2),
    },
    ...(isChain ? {} : { ratio: ratioOf(times(applies), times(floor)), atMost }),
  };
}

/** Growth of CPU time with creations; the start costs the same for all. */
async function growth(): Promise<Findings> {
  const points: (readonly [creations: number, cpu: number])[] = [];
  for (const [creations, times] of sizes) {
    const one = newTeamsCase(creations);
    const service = await replay(await recorded(one), 0);
    const { applies } = await byTurns(times, {
      applies: async () => {
        await service.again();
        return apply(one, service.env, 8);
      },
    });
    points.push([creations, median(applies.map(({ cpu }) => cpu))]);
    await service.stop();
  }
  const cpu = points.map(([creations, taken]) => [`${count(creations)}, CPU`, time(taken)] as const);
  return {
    title: 'Growth of CPU',
    about: 'The exponent of growth: 1 is linear.',
    lines: [
      { name: 'teams created', values: Object.fromEntries(cpu), ratio: exponentOf(points), atMost: 1.05 },
    ],
  };
}

async function recorded(one: Case): Promise<readonly Exchange[]> {
  const service = await startSeeded({ organizations: [one.seed] });
  try {
    return await record(service.url, (url) => apply(one, { ...service.env, OCTAVO_BASE_URL: url }, 16));
  } finally {
    await service.stop();
  }
}

function apply(
  { manifest }: Case,
  env: Readonly<Record<string, string>>,
  parallelism: number,
): Promise<Used> {
  return inFolder(new Map([['acme.yaml', head + manifest]]), async (folder) => {
    const args = [octavo, 'apply', '--auto-approve', '--parallelism', String(parallelism)];
    const used = await runNode(args, { cwd: folder, env });
    if (!used.output.includes('Applied: ')) throw new Error(`not applied:\n${used.output.slice(0, 2000)}`);
    return used;
  });
}

function sendBare(exchanges: readonly Exchange[], { url, env }: Replay, parallelism: number): Promise<Used> {
  return inFolder(new Map(), async (folder) => {
    const file = join(folder, 'requests.json');
    const sent = exchanges.map(({ method, path, body }) => ({
      method,
      path,
      ...(body === '' ? {} : { body: JSON.parse(body) as unknown }),
    }));
    writeFileSync(file, JSON.stringify(sent));
    return runNode([floorScript, file, url, 'replayed', String(parallelism)], { env });
  });
}

function newTeamsCase(creations: number): Case {
  const teams = each(creations, (at) => `  t${at}: { title: Team ${at} }\n`);
  return {
    name: `${count(creations)} teams created`,
    seed: organization({}),
    manifest: `teams:\n${teams.join('')}`,
    chain: 4,
  };
}

/** Sections of a site are created one after the other, because their order is the order of creation. */
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
    // Organization, sites, their contents, the sections one by one, the last update, the re-read.
    chain: 3 + perSite + 1 + 1,
  };
}

function organization(more: Partial<Organization>): Organization {
  return { id: 'org_bench', title: 'Bench', ...more };
}

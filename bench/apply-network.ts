/**
 * How close an apply comes to the network's limit: 1,000 creates, updates and deletes at 20 ms a request, against the longer of
 * two times that nothing can beat: the requests, so many at once, and the chain of requests that have to wait for each other.
 * Whole processes, start included; what the start takes is shown beside it.
 */
import type { Seed } from '../src/server/index.ts';
import { median } from './support/compare.ts';
import { count, type Findings, tell, time } from './support/findings.ts';
import { octavo, runNode } from './support/process.ts';
import { inFolder, type ServiceUnderTest, startSeeded } from './support/service.ts';

type Line = Findings['lines'][number];

const latency = 20;
const rounds = 3;
const changes = 1000;
/** Requests at once. */
const levels = [8, 16];

const each = <T>(number: number, make: (at: number) => T): T[] =>
  Array.from({ length: number }, (_, at) => make(at));
const head =
  'octavo: 1\norganization: { id: org_bench }\nsettings: { prune: unlisted, limits: { deletes: null, deletePercent: null } }\n';

/** What is there, what is to be, and how long the longest chain of requests is. */
interface Case {
  readonly name: string;
  readonly seed: Seed['organizations'][number];
  readonly manifest: string;
  /** Requests of which each waits for the one before: reads in rounds, the changes, and the look after them. */
  readonly chain: number;
}

const teamsSeed = each(changes, (at) => ({ id: `team_${at}`, title: `Team ${at}` }));
const teamsText = (title: (at: number) => string, number = changes) =>
  `teams:\n${each(number, (at) => `  t${at}: { id: team_${at}, title: ${title(at)} }\n`).join('')}`;

const cases: readonly Case[] = [
  {
    name: 'teams created',
    seed: organization({}),
    manifest: `teams:\n${each(changes, (at) => `  t${at}: { title: Team ${at} }\n`).join('')}`,
    chain: 4,
  },
  {
    name: 'teams updated',
    seed: organization({ teams: teamsSeed }),
    manifest: teamsText((at) => `Group ${at}`),
    chain: 3,
  },
  {
    name: 'teams deleted',
    seed: organization({ teams: [...teamsSeed, { id: 'team_stays', title: 'Stays' }] }),
    manifest: 'teams: { stays: { id: team_stays, title: Stays } }\n',
    chain: 6,
  },
  sectionsCase('sections in 100 sites created', 100),
  sectionsCase('sections in one site created', 1),
];

const tables: Findings[] = [];
for (const parallelism of levels) tables.push(await bench(parallelism));
tell('apply-network', tables);

async function bench(parallelism: number): Promise<Findings> {
  const lines: Line[] = [];
  for (const one of cases) lines.push(await run(one, parallelism));
  return {
    title: `An apply of ${count(changes)} changes, ${parallelism} requests at once`,
    about: `${latency} ms a request; medians of ${rounds} runs of whole processes. The limit: the longer of all requests at once and the longest chain.`,
    lines,
  };
}

async function run({ name, seed, manifest, chain }: Case, parallelism: number): Promise<Line> {
  const walls: number[] = [];
  const starts: number[] = [];
  const cpus: number[] = [];
  let requests: readonly string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const service = await startSeeded({ organizations: [seed] }, latency);
    try {
      const measured = await inFolder(new Map([['acme.yaml', head + manifest]]), (folder) =>
        applyOnce(folder, service, parallelism),
      );
      walls.push(measured.wall);
      cpus.push(measured.cpu);
      starts.push(measured.start);
      requests = measured.requests;
    } finally {
      await service.stop();
    }
  }
  const limit = Math.max((requests.length * latency) / parallelism, chain * latency);
  const wall = median(walls);
  return {
    name,
    values: {
      requests: count(requests.length),
      limit: time(limit),
      apply: time(wall),
      'of which start': time(median(starts)),
      CPU: time(median(cpus)),
      'ratio without the start': ((wall - median(starts)) / limit).toFixed(2),
    },
    ratio: { median: wall / limit, least: Math.min(...walls) / limit, most: Math.max(...walls) / limit },
    atMost: 1.2,
  };
}

async function applyOnce(folder: string, service: ServiceUnderTest, parallelism: number) {
  const env = { ...service.env, XDG_STATE_HOME: folder };
  // What starts, reads the manifests and sends nothing.
  const { wall: start } = await runNode([octavo, 'validate'], { cwd: folder, env });
  await service.requests();
  const used = await runNode([octavo, 'apply', '--auto-approve', '--parallelism', String(parallelism)], {
    cwd: folder,
    env,
  });
  const requests = await service.requests();
  const { output } = await runNode([octavo, 'plan'], { cwd: folder, env });
  if (!output.includes('No changes')) throw new Error(`something is left:\n${output.slice(0, 2000)}`);
  return { ...used, start, requests };
}

/** Sections of a site are created one after the other: their order is the order of their creation. */
function sectionsCase(name: string, sites: number): Case {
  const perSite = changes / sites;
  const text = each(
    sites,
    (site) =>
      `  s${site}:\n    id: site_${site}\n    sections:\n${each(
        perSite,
        (at) =>
          `      x${at}: { title: Section ${at}, path: section-${at}, spaces: { main: { space: one } } }\n`,
      ).join('')}`,
  ).join('');
  return {
    name,
    seed: organization({
      spaces: [{ id: 'sp_one', title: 'One' }],
      sites: each(sites, (at) => ({ id: `site_${at}`, title: `Site ${at}`, sections: [] })),
    }),
    manifest: `spaces: { one: { id: sp_one } }\nsites:\n${text}`,
    // Organization, sites, what is in them, the sections one by one, the last update, the look.
    chain: 3 + perSite + 1 + 1,
  };
}

function organization(more: Partial<Seed['organizations'][number]>): Seed['organizations'][number] {
  return { id: 'org_bench', title: 'Bench', ...more };
}

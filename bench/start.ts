/** Start time of commands: `--version`, `--help`, `validate` and `plan` of ten objects, as whole processes, compared with an empty Node. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../src/server/index.ts';
import { byTurns, median, ratioOf } from './support/compare.ts';
import { count, type Findings, tell, time } from './support/findings.ts';
import { octavo, runNode } from './support/process.ts';
import { inFolder } from './support/service.ts';

const rounds = 15;
const teams = Array.from({ length: 8 }, (_, at) => at);
const manifests = new Map([
  [
    'acme.yaml',
    `octavo: 1\norganization: { id: org_acme }\nsites:\n  hub: { title: Hub }\nteams:\n${teams
      .map((at) => `  team-${at}: { title: Team ${at} }\n`)
      .join('')}`,
  ],
]);
const seed = {
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      teams: teams.map((at) => ({ id: `team_${at}`, title: `Team ${at}` })),
      sites: [{ id: 'site_0', title: 'Hub' }],
    },
  ],
};

/** The command lines with their goals, as multiples of an empty Node. */
const goals = { '--version': 1.4, '--help': 2.5, validate: 4, plan: 7 } as const;

const service = await startService({ data: ':memory:', seed });
try {
  tell('start', [await inFolder(manifests, bench)]);
} finally {
  await service.close();
}

async function bench(cwd: string): Promise<Findings> {
  const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token };
  const run =
    (...args: string[]) =>
    () =>
      runNode([octavo, ...args], { cwd, env });
  const { output } = await run('plan')();
  if (!output.includes('No changes')) throw new Error(`the plan is not empty:\n${output}`);
  const used = await byTurns(rounds, {
    empty: () => runNode(['-e', '0'], { cwd }),
    '--version': run('--version'),
    '--help': run('--help'),
    validate: run('validate'),
    plan: run('plan'),
  });
  const walls = (of: keyof typeof used) => used[of].map(({ wall }) => wall);
  const cpus = (of: keyof typeof used) => used[of].map(({ cpu }) => cpu);
  const sizes = JSON.parse(
    readFileSync(join(process.cwd(), 'node_modules', '.cache', 'octavo', 'bundle-sizes.json'), 'utf8'),
  ) as Readonly<Record<string, { readonly bytes: number } | undefined>>;
  const names = Object.keys(goals) as (keyof typeof goals)[];
  return {
    title: 'Starting',
    about: `Ten objects in one file, a service without latency; medians of ${count(rounds)} rounds by turns.`,
    lines: [
      {
        name: 'node -e 0',
        values: { wall: time(median(walls('empty'))), CPU: time(median(cpus('empty'))) },
      },
      ...names.map((name) => ({
        name,
        values: {
          wall: time(median(walls(name))),
          CPU: time(median(cpus(name))),
          'CPU ratio': ratioOf(cpus(name), cpus('empty')).median.toFixed(2),
          loads: `${Math.ceil((sizes[name]?.bytes ?? 0) / 1024)} KiB`,
        },
        ratio: ratioOf(walls(name), walls('empty')),
        atMost: goals[name],
      })),
    ],
  };
}

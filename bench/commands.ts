/** Cost of less common commands in CPU time of whole processes, relative to a comparable command. */
import type { Seed } from '../src/server/index.ts';
import { byTurns, median, ratioOf } from './support/compare.ts';
import { type Findings, tell, time } from './support/findings.ts';
import { octavo, runNode, type Used } from './support/process.ts';
import { inFolder, type ServiceUnderTest, startBench, startSeeded } from './support/service.ts';
import { newTeams, workspaceOf } from './support/workspace.ts';

type Line = Findings['lines'][number];

const rounds = 5;
const objects = 10_000;
const lines: Line[] = [];

/** Returns how many times the cost of the second command the first one has. */
async function compare(
  [name, run]: readonly [string, () => Promise<Used>],
  [other, baseline]: readonly [string, () => Promise<Used>],
  atMost?: number,
): Promise<void> {
  const used = await byTurns(rounds, { run, baseline });
  const cpu = (runs: readonly Used[]) => runs.map((one) => one.cpu);
  lines.push({
    name,
    values: { CPU: time(median(cpu(used.run))), against: other, 'its CPU': time(median(cpu(used.baseline))) },
    ratio: ratioOf(cpu(used.run), cpu(used.baseline)),
    ...(atMost === undefined ? {} : { atMost }),
  });
}

async function withService<T>(
  started: Promise<ServiceUnderTest>,
  deed: (service: ServiceUnderTest) => Promise<T>,
): Promise<T> {
  const service = await started;
  try {
    return await deed(service);
  } finally {
    await service.stop();
  }
}

await withService(startBench(objects), ({ env }) =>
  inFolder(workspaceOf(objects).manifests, async (cwd) => {
    const run =
      (...args: readonly string[]) =>
      () =>
        runNode([octavo, ...args], { cwd, env, codes: [0, 2, 3] });
    const validate = ['validate', run('validate', '--quiet')] as const;
    const plan = ['plan', run('plan', '--quiet')] as const;
    await compare(['fmt --check', run('fmt', '--check', '--quiet')], validate, 3);
    const complete = run('__complete', 'line', 'octavo plan --target sites/s');
    await compare(['completion of an address', complete], validate, 0.5);
    await compare(['drift --base .', run('drift', '--base', '.', '--quiet')], plan, 1.2);
    await compare(['export', run('export', '--organization', 'org_bench', '--quiet')], plan);
  }),
);

function teamsOf(id: string, count: number): ReadonlyMap<string, string> {
  const [[, text = ''] = []] = newTeams(count);
  return new Map([[`${id}.yaml`, text.replace('org_bench', id)]]);
}

const empty = (id: string): Seed['organizations'][number] => ({ id, title: id });

/** Ten teams, in a folder whose last run was an apply of 10,000 in another organization. */
await withService(startSeeded({ organizations: ['org_bench', 'org_small'].map(empty) }), ({ env }) =>
  inFolder(newTeams(objects), (used) =>
    inFolder(teamsOf('org_small', 10), async (fresh) => {
      await runNode([octavo, 'apply', '--auto-approve', '--quiet'], { cwd: used, env });
      const plan = (cwd: string) => () => runNode([octavo, 'plan', '-f', fresh, '--quiet'], { cwd, env });
      await compare(
        ['plan of 10 after an apply of 10,000', plan(used)],
        ['in a fresh folder', plan(fresh)],
        1.05,
      );
    }),
  ),
);

/** The same number of teams in 200 organizations as in one. */
const fleet = Array.from({ length: 200 }, (_, at) => `org_${at}`);
await withService(startSeeded({ organizations: [...fleet, 'org_bench'].map(empty) }), ({ env }) => {
  const manifests = new Map(fleet.flatMap((id) => [...teamsOf(id, 5)]));
  return inFolder(manifests, (many) =>
    inFolder(newTeams(1000), async (one) => {
      const plan = (cwd: string) => () => runNode([octavo, 'plan', '--quiet'], { cwd, env });
      await compare(['plan of 200 organizations', plan(many)], ['of one with as many teams', plan(one)]);
    }),
  );
});

/** A shard reads the manifests of all organizations, and builds its own. */
const shards = Array.from({ length: 500 }, (_, at) => `org_${at}`);
await withService(startSeeded({ organizations: shards.map(empty) }), ({ env }) =>
  inFolder(new Map(shards.flatMap((id) => [...teamsOf(id, 20)])), async (all) => {
    const of = ['plan', '--quiet', '--shard', '1/16'];
    const { output } = await runNode([octavo, ...of, '--format', 'json'], { cwd: all, env });
    const own = new Set([...output.matchAll(/"label":\s*"(org_\d+)"/g)].map(([, id = '']) => id));
    await inFolder(new Map([...own].flatMap((id) => [...teamsOf(id, 20)])), async (few) => {
      const alone = ['of these 32', () => runNode([octavo, 'plan', '--quiet'], { cwd: few, env })] as const;
      await compare(['a shard of 32 of 500', () => runNode([octavo, ...of], { cwd: all, env })], alone, 1.3);
      const whole = [
        'a plan of all 500',
        () => runNode([octavo, 'plan', '--quiet'], { cwd: all, env }),
      ] as const;
      await compare(whole, alone);
    });
  }),
);

tell('commands', [
  {
    title: 'Other commands',
    about: `10,000 objects where nothing else is said; CPU of whole processes, medians of ${rounds} rounds by turns.`,
    lines,
  },
]);

/**
 * How the cost of a plan grows with its objects: `octavo plan` without changes, of 1,000 to 100,000 objects without latency, in one file,
 * in a thousand, and against a base in git; the exponent of growth, and the time of each stage.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { byTurns, exponentOf, median, ratioOf } from './support/compare.ts';
import { count, type Findings, size, tell, time } from './support/findings.ts';
import { octavo, runNode, type Used } from './support/process.ts';
import { inFolder, startBench } from './support/service.ts';
import { workspaceOf } from './support/workspace.ts';

/** Number of objects, and of runs for each. */
const sizes: readonly (readonly [objects: number, rounds: number])[] = [
  [1000, 5],
  [10_000, 3],
  [100_000, 1],
];
const manyFiles = 1000;
/** Maximum memory in MiB of a plan with that number of objects. */
const memoryGoals = new Map([
  [10_000, 200],
  [100_000, 700],
]);

type Way = 'plan' | 'plan --base HEAD' | 'validate';

interface Measured {
  readonly objects: number;
  readonly files: number;
  readonly used: Readonly<Record<Way, readonly Used[]>>;
  readonly stages: Stages;
}

interface Stages {
  readonly stages: Readonly<Record<string, number>>;
  readonly peaks: Readonly<Record<string, number>>;
}

const stagesScript = fileURLToPath(new URL('stages-process.mjs', import.meta.url));

const measured: Measured[] = [];
for (const [objects, rounds] of sizes) {
  const service = await startBench(objects);
  try {
    // A single file has at most 5 MiB.
    for (const files of objects > 40_000 ? [manyFiles] : [1, manyFiles]) {
      const { manifests } = workspaceOf(objects, files);
      measured.push(
        await inFolder(manifests, (folder) => bench(folder, { objects, files, rounds, service })),
      );
    }
  } finally {
    await service.stop();
  }
}
tell('plan-size', [costs(), growth(), bases(), stages()]);

async function bench(
  folder: string,
  {
    objects,
    files,
    rounds,
    service,
  }: {
    readonly objects: number;
    readonly files: number;
    readonly rounds: number;
    readonly service: Awaited<ReturnType<typeof startBench>>;
  },
): Promise<Measured> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@bench.example', 'commit', '--quiet', '-m', 'bench');
  const run = (...args: string[]) => runNode([octavo, ...args], { cwd: folder, env: service.env });
  const used = await byTurns<Way, Used>(rounds, {
    plan: () => run('plan'),
    'plan --base HEAD': () => run('plan', '--base', 'HEAD'),
    validate: () => run('validate'),
  });
  const { output } = await runNode([stagesScript, service.url, service.token], { cwd: folder });
  return { objects, files, used, stages: JSON.parse(output) as Stages };
}

function nameOf({ objects, files }: Measured): string {
  return `${count(objects)} objects, ${files === 1 ? 'one file' : `${count(Math.min(files, objects))} files`}`;
}

function costs(): Findings {
  return {
    title: 'Whole plans',
    about: `No change, no latency, default parallelism; medians of ${sizes.map(([, rounds]) => rounds).join(', ')} rounds. The ratio is peak memory in MiB by its goal.`,
    lines: measured.map((one) => {
      const of = one.used.plan;
      const peak = median(of.map((used) => used.peak));
      const goal = memoryGoals.get(one.objects);
      return {
        name: nameOf(one),
        values: {
          wall: time(median(of.map(({ wall }) => wall))),
          CPU: time(median(of.map(({ cpu }) => cpu))),
          'peak memory': size(peak),
          'validate, CPU': time(median(one.used.validate.map(({ cpu }) => cpu))),
          'validate, peak memory': size(median(one.used.validate.map((used) => used.peak))),
        },
        ...(goal === undefined ? {} : { ratio: peak / 2 ** 20 / goal, atMost: 1 }),
      };
    }),
  };
}

/** Growth of CPU time with the objects; the start costs the same for all. */
function growth(): Findings {
  const line = (way: Way, files: number) => {
    const points = measured
      .filter((one) => one.files === files)
      .map((one) => [one.objects, median(one.used[way].map(({ cpu }) => cpu))] as const);
    return {
      name: `${way}, ${files === 1 ? 'one file' : `${count(files)} files`}`,
      values: { from: count(points[0]?.[0] ?? 0), to: count(points.at(-1)?.[0] ?? 0) },
      ratio: exponentOf(points),
      atMost: 1.05,
    };
  };
  return {
    title: 'Growth of CPU',
    about: 'The exponent of growth: 1 is linear. Sections of all sites have the same titles.',
    lines: [
      line('plan', 1),
      line('plan', manyFiles),
      line('plan --base HEAD', 1),
      line('plan --base HEAD', manyFiles),
    ],
  };
}

function bases(): Findings {
  return {
    title: 'Reading a base',
    about: 'What --base HEAD adds to the CPU of a plan, by what validate takes.',
    lines: measured.map((one) => {
      const cpu = (way: Way) => one.used[way].map((used) => used.cpu);
      const added = cpu('plan --base HEAD').map((value, at) => value - (cpu('plan')[at] ?? Number.NaN));
      return {
        name: nameOf(one),
        values: { added: time(median(added)), validate: time(median(cpu('validate'))) },
        ratio: ratioOf(added, cpu('validate')),
        atMost: 1.2,
      };
    }),
  };
}

function stages(): Findings {
  const names = [
    'parse',
    'validate',
    'read',
    'match',
    'diff',
    'order',
    'guards',
    'render',
    'garbage collection',
  ];
  return {
    title: 'Stages',
    about:
      'CPU by stage under a profiler, and the most memory that was needed until the end of a part; one run each.',
    lines: measured.map((one) => ({
      name: nameOf(one),
      values: {
        ...Object.fromEntries(names.map((name) => [name, time(one.stages.stages[name] ?? 0)])),
        'memory: manifests': size(one.stages.peaks.manifests ?? 0),
        planned: size(one.stages.peaks.planned ?? 0),
        rendered: size(one.stages.peaks.rendered ?? 0),
      },
    })),
  };
}

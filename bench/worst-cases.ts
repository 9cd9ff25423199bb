/**
 * Plans with problematic shapes: the same number of new and unlisted objects, where each new one may be a renamed one; the text of a
 * plan of 100,000 changes, which must not be in memory as a whole; and one title of megabytes.
 */
import { fileURLToPath } from 'node:url';
import { byTurns, exponentOf, median } from './support/compare.ts';
import { count, type Findings, size, tell, time } from './support/findings.ts';
import { octavo, runNode, type Used } from './support/process.ts';
import { inFolder, startBench, startSeeded } from './support/service.ts';
import { newTeams, organization, teamsSeed } from './support/workspace.ts';

const rounds = 3;
const teams = [4000, 8000, 16_000];
const creates = 100_000;
/** Lengths of a title in MiB. */
const lengths = [0.5, 1, 2, 4];
/** Commands that read, plan, paint, send, journal and compare a long text. The undo is refused: the API accepts no such title. */
const ways: Readonly<Record<string, readonly string[]>> = {
  plan: ['plan'],
  'plan, Markdown': ['plan', '--format', 'markdown'],
  'plan, page': ['plan', '--format', 'html'],
  apply: ['apply', '--auto-approve', '--quiet'],
  history: ['history'],
  undo: ['undo', '--auto-approve', '--quiet'],
  'unknown reference': ['validate', 'slip.yml'],
};
/** Maximum memory of the text in bytes, in addition to the plan. */
const textMemory = 300 * 2 ** 20;

const stagesScript = fileURLToPath(new URL('stages-process.mjs', import.meta.url));

tell('worst-cases', [await unlisted(), await longText(), await longTitle()]);

async function unlisted(): Promise<Findings> {
  const measured: (readonly [teams: number, used: readonly Used[]])[] = [];
  for (const each of teams) {
    const service = await startBench({ teams: each });
    const run = (cwd: string) => runNode([octavo, 'plan'], { cwd, env: service.env, codes: [0, 3] });
    try {
      const { plan } = await inFolder(newTeams(each), (folder) =>
        byTurns(rounds, { plan: () => run(folder) }),
      );
      measured.push([each, plan]);
    } finally {
      await service.stop();
    }
  }
  const cpuOf = (used: readonly Used[]) => median(used.map(({ cpu }) => cpu));
  return {
    title: 'New objects next to as many unlisted ones',
    about: `Teams; medians of ${rounds} rounds. The ratio is the exponent of growth of CPU.`,
    lines: [
      ...measured.map(([each, used]) => ({
        name: `${count(each)} new, ${count(each)} unlisted`,
        values: { CPU: time(cpuOf(used)), 'peak memory': size(median(used.map(({ peak }) => peak))) },
      })),
      {
        name: 'exponent',
        values: {},
        ratio: exponentOf(measured.map(([each, used]) => [each, cpuOf(used)])),
        atMost: 1.1,
      },
    ],
  };
}

async function longText(): Promise<Findings> {
  const service = await startBench({ teams: 0 });
  try {
    const { output, cpu } = await inFolder(newTeams(creates), (cwd) =>
      runNode([stagesScript, service.url, service.token], { cwd }),
    );
    const { peaks, length } = JSON.parse(output) as {
      readonly peaks: { readonly planned: number; readonly rendered: number };
      readonly length: number;
    };
    const beyond = peaks.rendered - peaks.planned;
    return {
      title: 'The text of a long plan',
      about: 'Memory that the text needs beyond the plan; the ratio is that by its goal of 300 MiB.',
      lines: [
        {
          name: `${count(creates)} creates`,
          values: {
            text: size(length),
            'plan, memory': size(peaks.planned),
            'text, memory': size(beyond),
            CPU: time(cpu),
          },
          ratio: beyond / textMemory,
          atMost: 1,
        },
      ],
    };
  } finally {
    await service.stop();
  }
}

async function longTitle(): Promise<Findings> {
  const measured: (readonly [length: number, cpu: Readonly<Record<string, number>>])[] = [];
  for (const length of lengths) {
    const all: Readonly<Record<string, number>>[] = [];
    for (let round = 0; round < rounds; round += 1) all.push(await costsOfTitle(length * 2 ** 20));
    const middle = (way: string) => median(all.map((cpu) => cpu[way] ?? 0));
    measured.push([length, Object.fromEntries(Object.keys(ways).map((way) => [way, middle(way)]))]);
  }
  return {
    title: 'One long text',
    about: `A live title, and a key that a reference misspells; medians of ${rounds} rounds. The ratio is the exponent of growth of CPU.`,
    lines: [
      ...measured.map(([length, cpu]) => ({
        name: size(length * 2 ** 20),
        values: Object.fromEntries(Object.entries(cpu).map(([way, used]) => [way, time(used)])),
      })),
      ...Object.keys(ways).map((way) => ({
        name: way,
        values: {},
        ratio: exponentOf(measured.map(([length, cpu]) => [length, cpu[way] ?? 0])),
        atMost: 1.1,
      })),
    ],
  };
}

async function costsOfTitle(length: number): Promise<Readonly<Record<string, number>>> {
  const title = 'A “quoted” word\nand a line. '.repeat(length / 27);
  // A file has at most 5 MiB.
  const key = JSON.stringify('x'.repeat(length / 4));
  const head = `octavo: 1\norganization: { id: ${organization} }\nteams:\n`;
  const manifests = new Map([
    ['teams.yaml', `${head}  long: { id: team_0, title: Short }\n`],
    [
      'slip.yml',
      `${head}  ? ${key}\n  : { title: Team }\nsamlProviders:\n  p: { label: P, defaultTeam: ${key.replace('x', 'y')} }\n`,
    ],
  ]);
  const { organizations } = teamsSeed(0);
  const teams = [{ id: 'team_0', title }];
  const service = await startSeeded({ organizations: organizations.map((one) => ({ ...one, teams })) });
  try {
    return await inFolder(manifests, async (cwd) => {
      const used: Record<string, number> = {};
      for (const [way, [command = '', ...flags]] of Object.entries(ways)) {
        const isPlain = way === 'unknown reference' || way === 'history' || way === 'undo';
        const args = [octavo, command, ...flags, ...(isPlain ? [] : ['-f', 'teams.yaml'])];
        const { cpu } = await runNode(args, { cwd, env: service.env, codes: [0, 1, 3] });
        used[way] = cpu;
      }
      return used;
    });
  } finally {
    await service.stop();
  }
}

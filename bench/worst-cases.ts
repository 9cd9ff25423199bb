/**
 * Plans with problematic shapes: the same number of new and unlisted objects, where each new one may be a renamed one; and the text of a
 * plan of 100,000 changes, which must not be in memory as a whole.
 */
import { fileURLToPath } from 'node:url';
import { byTurns, exponentOf, median } from './support/compare.ts';
import { count, type Findings, size, tell, time } from './support/findings.ts';
import { octavo, runNode, type Used } from './support/process.ts';
import { inFolder, startBench } from './support/service.ts';
import { newTeams } from './support/workspace.ts';

const rounds = 3;
const teams = [4000, 8000, 16_000];
const creates = 100_000;
/** Maximum memory of the text in bytes, in addition to the plan. */
const textMemory = 300 * 2 ** 20;

const stagesScript = fileURLToPath(new URL('stages-process.mjs', import.meta.url));

tell('worst-cases', [await unlisted(), await longText()]);

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

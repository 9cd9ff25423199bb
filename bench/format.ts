/** Cost of `octavo fmt --check` relative to `octavo validate`, for large manifests, formatted and unformatted. */
import { byTurns, median, ratioOf } from './support/compare.ts';
import { count, tell, time } from './support/findings.ts';
import { octavo, runNode, type Used } from './support/process.ts';
import { inFolder } from './support/service.ts';

const rounds = 3;
const head = 'octavo: 1\norganization: org_bench\n';
const many = (length: number, text: (at: number) => string) =>
  Array.from({ length }, (_, at) => text(at)).join('');
const one = (text: string) => new Map([['acme.yaml', text]]);

const workspaces: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  [`${count(16_000)} teams with a member`]: one(
    `${head}\nteams:\n${many(16_000, (at) => `  t${at}:\n    title: Team ${at}\n    members:\n      a${at}@x.example: owner\n`)}`,
  ),
  [`${count(16_000)} teams, keys in another order`]: one(
    `${head}teams:\n${many(16_000, (at) => `  t${at}:\n    members: { a${at}@x.example: owner }\n    title: Team ${at}\n`)}`,
  ),
  [`${count(34_000)} teams with ${count(102_000)} comments`]: one(
    `${head}\nteams:\n${many(34_000, (at) => `  # one ${at}\n  # two\n  t${at}: # three\n    title: Team ${at}\n`)}`,
  ),
  [`${count(34_000)} teams with comments, an empty line missing`]: one(
    `${head}teams:\n${many(34_000, (at) => `  # one ${at}\n  # two\n  t${at}: # three\n    title: Team ${at}\n`)}`,
  ),
  [`${count(40_000)} teams in one line`]: one(
    `${head}teams: { ${many(40_000, (at) => `${at === 0 ? '' : ', '}t${at}: { title: Team ${at} }`)} }\n`,
  ),
  [`${count(10_000)} files`]: new Map(
    Array.from({ length: 10_000 }, (_, at) => [
      `f${at % 100}/t${at}.yaml`,
      `${head}\nteams:\n  t${at}:\n    title: Team ${at}\n`,
    ]),
  ),
};

const lines = [];
for (const [name, manifests] of Object.entries(workspaces)) {
  const used = await inFolder(manifests, (cwd) =>
    byTurns<'fmt' | 'validate', Used>(rounds, {
      fmt: () => runNode([octavo, 'fmt', '--check', '--quiet'], { cwd, codes: [0, 3] }),
      validate: () => runNode([octavo, 'validate', '--quiet'], { cwd }),
    }),
  );
  const cpu = (way: 'fmt' | 'validate') => used[way].map((each) => each.cpu);
  lines.push({
    name,
    values: { 'fmt --check': time(median(cpu('fmt'))), validate: time(median(cpu('validate'))) },
    ratio: ratioOf(cpu('fmt'), cpu('validate')),
    atMost: 3,
  });
}
tell('format', [
  {
    title: 'Formatting',
    about: `CPU of whole processes, medians of ${rounds} rounds, by that of validate.`,
    lines,
  },
]);

/** The pipelines of examples/ci as a module of texts, for `octavo init`: the package holds no examples but one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Workflows that only some repositories need. */
const special = ['fleet.yml'];

/** The text of src/cli/init/pipelines.ts. */
export function pipelinesModule(root) {
  const folder = join(root, 'examples', 'ci');
  const read = (name) => readFileSync(join(folder, name), 'utf8');
  const workflows = readdirSync(join(folder, 'github'))
    .filter((name) => !special.includes(name))
    .sort();
  const github = workflows.map((name) => [`.github/workflows/octavo-${name}`, read(join('github', name))]);
  const gitlab = [['.gitlab-ci.yml', read('gitlab.yml')]];
  return [
    '/** The pipelines of examples/ci, by CI system and path. Made by scripts/generate.mjs; not to be edited. */',
    '',
    '/** Texts by path. The folder of the manifests is `docs` in them. */',
    'export const pipelines: Readonly<Record<string, Readonly<Record<string, string>>>> = {',
    ...entries('github', github),
    ...entries('gitlab', gitlab),
    '};',
    '',
  ].join('\n');
}

function entries(system, files) {
  const lines = files.flatMap(([path, text]) => [
    `    '${path}': [`,
    ...text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `      ${quoted(line)},`),
    "    ].join('\\n').concat('\\n'),",
  ]);
  return [`  ${system}: {`, ...lines, '  },'];
}

function quoted(line) {
  return `'${line.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

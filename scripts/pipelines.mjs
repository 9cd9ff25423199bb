/** The pipelines of examples/ci as a module of texts, for `octavo init`: the package contains only one example. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Workflows that only some repositories need. */
const special = ['fleet.yml'];

/** The text of src/cli/init/pipelines.ts. */
export function pipelinesModule(root) {
  const folder = join(root, 'examples', 'ci');
  const textOf = (...name) => JSON.stringify(readFileSync(join(folder, ...name), 'utf8'));
  const workflows = readdirSync(join(folder, 'github'))
    .filter((name) => !special.includes(name))
    .sort();
  return [
    '/** The pipelines of examples/ci, by CI system and path. Made by scripts/generate.mjs; not to be edited. */',
    'export const pipelines: Readonly<Record<string, Readonly<Record<string, string>>>> = {',
    '  github: {',
    ...workflows.map((name) => `    '.github/workflows/octavo-${name}': ${textOf('github', name)},`),
    '  },',
    `  gitlab: { '.gitlab-ci.yml': ${textOf('gitlab.yml')} },`,
    '};',
    '',
  ].join('\n');
}

/** The pipelines of examples/ci, for `octavo init`: the package contains only one example. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Workflows that only some repositories need. */
const special = ['fleet.yml'];

/** The text of src/cli/init/pipelines.json: texts by CI system and path. */
export function pipelinesText(root) {
  const folder = join(root, 'examples', 'ci');
  const textOf = (...name) => readFileSync(join(folder, ...name), 'utf8');
  const workflows = readdirSync(join(folder, 'github'))
    .filter((name) => !special.includes(name))
    .sort();
  const github = workflows.map((name) => [`.github/workflows/octavo-${name}`, textOf('github', name)]);
  const pipelines = {
    github: Object.fromEntries(github),
    gitlab: { '.gitlab-ci.yml': textOf('gitlab.yml') },
  };
  return `${JSON.stringify(pipelines, undefined, 2)}\n`;
}

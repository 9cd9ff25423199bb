/**
 * Writes the files that are generated from the sources (schemas, reference pages, the script and the style of pages) and from results of
 * benchmarks, and the picture that dist/ draws of itself. With --check, writes no files and fails if a committed file is outdated.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { completionText } from './completion.mjs';
import { conceptsText } from './concepts.mjs';
import { pageAssets } from './page-assets.mjs';
import { performancePage } from './performance.mjs';
import { demoPicture } from './picture.mjs';
import { pipelinesText } from './pipelines.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');
const bundle = join(root, 'node_modules', '.cache', 'octavo', 'generate.mjs');

update('src/report/page/page-assets.ts', pageAssets(root));
update('src/cli/init/pipelines.json', pipelinesText(root));
update('src/cli/explain/concepts.json', conceptsText(root));
update('src/cli/completion/scripts.json', completionText(root));
await build({
  cwd: root,
  input: 'src/reference/generated-files.ts',
  platform: 'node',
  external: /^[^./]/,
  output: { file: bundle, format: 'esm', codeSplitting: false },
});
const { generatedFiles } = await import(`${pathToFileURL(bundle).href}?${Date.now()}`);

const files = {
  ...(await generatedFiles()),
  'docs/internals/performance.md': performancePage(root),
  'docs/demo.svg': demoPicture(root),
};
for (const [name, text] of Object.entries(files)) update(name, wholeText(name, text));

/** A text that begins with a heading of the second level is the end of a page, from that heading on. */
function wholeText(name, text) {
  if (!text.startsWith('## ')) return text;
  const page = readFileSync(join(root, name), 'utf8');
  const start = page.indexOf(text.slice(0, text.indexOf('\n')));
  return page.slice(0, start < 0 ? page.length : start) + text;
}

/** Writes an outdated file, or reports it with --check. */
function update(name, text) {
  const path = join(root, name);
  const current = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (current === text) return;
  if (check) {
    process.stdout.write(`${name} is not up to date: run "npm run generate" and commit it\n`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  process.stdout.write(`${name}\n`);
}

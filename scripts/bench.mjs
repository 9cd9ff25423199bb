/**
 * Bundles bench/*.ts and runs each with Node, one after the other, or only the named ones. `--save` keeps the results in bench/results/,
 * from which `npm run generate` makes docs/internals/performance.md; `--json <folder>` writes them elsewhere.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'node_modules', '.cache', 'octavo', 'bench');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { save: { type: 'boolean' }, json: { type: 'string' } },
});
const known = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`No benchmark is named ${unknown.join(', ')}. There are: ${known.join(', ')}\n`);
  process.exit(1);
}
const names = known.filter((name) => positionals.length === 0 || positionals.includes(name));
const results = values.save ? join(root, 'bench', 'results') : values.json && resolve(values.json);
if (results) mkdirSync(results, { recursive: true });

rmSync(outdir, { recursive: true, force: true });
// Run in separate processes.
const processes = readdirSync(join(root, 'bench', 'support'))
  .filter((file) => file.endsWith('-process.ts'))
  .map((file) => [file.slice(0, -'.ts'.length), `bench/support/${file}`]);
await build({
  cwd: root,
  input: Object.fromEntries([...names.map((name) => [name, `bench/${name}.ts`]), ...processes]),
  platform: 'node',
  // A UMD package cannot be bundled, but its modules can.
  resolve: { mainFields: ['module', 'main'] },
  logLevel: 'silent',
  output: { dir: outdir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
});

for (const name of names) {
  process.stdout.write(`# ${name}\n`);
  const env = results ? { ...process.env, OCTAVO_BENCH_JSON: join(results, `${name}.json`) } : process.env;
  const { status } = spawnSync(process.execPath, [join(outdir, `${name}.mjs`)], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  if (status !== 0) process.exitCode = 1;
}

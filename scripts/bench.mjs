/** Bundles bench/*.ts and runs each with Node, one after the other; or only those that are named. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'node_modules', '.cache', 'octavo', 'bench');
const asked = process.argv.slice(2);
const names = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .filter((name) => asked.length === 0 || asked.includes(name))
  .sort();

await build({
  absWorkingDir: root,
  entryPoints: names.map((name) => `bench/${name}.ts`),
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  // A package in UMD cannot be bundled; its modules can.
  mainFields: ['module', 'main'],
  target: 'node20',
  banner: {
    js: "import { createRequire as octavoRequire } from 'node:module'; const require = octavoRequire(import.meta.url);",
  },
  logLevel: 'warning',
});

for (const name of names) {
  process.stdout.write(`# ${name}\n`);
  const { status } = spawnSync(process.execPath, [join(outdir, `${name}.mjs`)], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}

/** Bundles src/ into dist/: the command with a chunk per command, and the library. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleSizes, packagesOf, sizesText } from './bundle-sizes.mjs';
import { notices } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const cache = join(root, 'node_modules', '.cache', 'octavo');
const started = new Date();

await build({
  absWorkingDir: root,
  entryPoints: { octavo: 'src/cli/octavo.ts', index: 'src/index.ts' },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // A package in UMD cannot be bundled; its modules can.
  mainFields: ['module', 'main'],
  target: 'node20',
  define: { OCTAVO_VERSION: JSON.stringify(version), 'Intl.Segmenter': 'LazySegmenter' },
  inject: ['scripts/lazy-segmenter.mjs'],
  alias: { 'node:http2': './scripts/no-http2.mjs' },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
}).then(({ metafile }) => {
  const made = new Set(Object.keys(metafile.outputs).map((path) => path.slice('dist/'.length)));
  for (const path of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const name = join(path.parentPath, path.name).slice(dist.length + 1);
    if (path.isFile() && !made.has(name)) rmSync(join(dist, name));
  }
  for (const path of Object.keys(metafile.outputs)) giveRequire(join(root, path));
  const sizes = bundleSizes(metafile);
  process.stdout.write(sizesText(sizes));
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'bundle-sizes.json'), `${JSON.stringify(sizes, undefined, 2)}\n`);
  // Of what is in the outputs: inputs that nothing uses are left out.
  const inputs = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  writeFileSync(join(cache, 'bundle-inputs.json'), `${JSON.stringify(inputs)}\n`);
  writeFileSync(join(dist, 'LICENSES.txt'), notices(root, packagesOf(inputs)));
});

/** Bundled CommonJS packages call require for Node's own modules; the one chunk that passes this on has to have it. */
function giveRequire(path) {
  const text = readFileSync(path, 'utf8');
  if (!text.includes('typeof require<"u"')) return;
  const line = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";
  writeFileSync(path, `${line}\n${text}`);
}

const command = join(dist, 'octavo.js');
writeFileSync(command, `#!/usr/bin/env node\n${readFileSync(command, 'utf8')}`);
chmodSync(command, 0o755);
// The stamp is as old as the start, so that what changed meanwhile counts as newer.
const stamp = join(dist, '.built');
writeFileSync(stamp, `${version}\n`);
utimesSync(stamp, started, started);

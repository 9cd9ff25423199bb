/** Bundles src/ into dist/: the command with a chunk per command, and the library. */
import './node-version.cjs';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { chunksOf } from './bundle-chunks.mjs';
import { groupsOf } from './bundle-parts.mjs';
import { bundleSizes, packageFolders, sizesText } from './bundle-sizes.mjs';
import { commitOf } from './commit.mjs';
import { lateInput, lateModules } from './late-modules.mjs';
import { notices } from './notices.mjs';
import { sbom } from './sbom.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const commit = commitOf(root);
const cache = join(root, 'node_modules', '.cache', 'octavo');
const started = new Date();

const input = {
  cwd: root,
  // A worker loads the parser by its path.
  input: {
    octavo: 'src/cli/octavo.ts',
    index: 'src/index.ts',
    'chunks/yaml-parse': 'src/server/content/yaml-parse.ts',
    ...lateInput,
  },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  resolve: {
    // A UMD package cannot be bundled, but its modules can.
    mainFields: ['module', 'main'],
  },
  optimization: { inlineConst: true },
  // Only the parser of yargs is used: other imports of `yargs/helpers` would run at each start.
  treeshake: {
    // Other packages declare this themselves.
    moduleSideEffects: (id) =>
      /\/node_modules\/(?:yargs|cliui|y18n|escalade|get-caller-file)\//.test(id) ? false : undefined,
  },
  transform: {
    target: 'node20',
    define: {
      OCTAVO_VERSION: JSON.stringify(version),
      OCTAVO_COMMIT: JSON.stringify(commit === undefined ? '' : ` (${commit.name})`),
    },
  },
  plugins: [
    lateModules(root),
    {
      name: 'plain exports',
      renderChunk: (code) => plainExports(code),
    },
    {
      name: 'parts of undici',
      resolveId: {
        filter: { id: /(?:\/client-h2|\/web\/fetch\/body)\.js$/ },
        handler: (_, importer) =>
          importer?.includes('/undici/lib/') ? join(root, 'scripts', 'no-undici-part.mjs') : undefined,
      },
    },
  ],
  onLog: (level, log, handle) => {
    if (!expected.has(log.code)) handle(level === 'warn' ? 'error' : level, log);
  },
};

/** Exports constants by value: a getter for each export takes time when a file is loaded, and at each use of the export. */
function plainExports(code) {
  const getter =
    /^Object\.defineProperty\(exports, ('|")(\w+)\1, \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);$/gm;
  const constant = new Set(
    [...code.matchAll(/^(?:const|class|(?:async )?function\*?) ([\w$]+)/gm)].map(([, name]) => name),
  );
  return code.replace(getter, (whole, _quote, key, name) =>
    constant.has(name) ? `exports.${key} = ${name};` : whole,
  );
}

/** `import.meta.resolve` is in an unused part of yargs; some commands load modules at the start that others load later. */
const expected = new Set(['EMPTY_IMPORT_META', 'INEFFECTIVE_DYNAMIC_IMPORT']);
const format = {
  dir: dist,
  // Node loads CommonJS in a fraction of the time of modules.
  format: 'cjs',
  exports: 'named',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Names of functions and classes remain, for the stack of a bug report.
  minify: {
    compress: true,
    mangle: { toplevel: true, keepNames: { function: true, class: true } },
    codegen: { removeWhitespace: true },
  },
  comments: { legal: false },
};

const first = await rolldown(input);
const group = groupsOf(chunksOf(root, await first.generate(format)));
await first.close();
const bundler = await rolldown(input);
const result = await bundler.write({
  ...format,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: (id) => group(relative(root, id)) ?? null, debugName: 'parts' }],
  },
});
await bundler.close();

const bundle = chunksOf(root, result);
const made = new Set(bundle.chunks.map(({ fileName }) => fileName));
for (const path of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const name = join(path.parentPath, path.name).slice(dist.length + 1);
  if (path.isFile() && !made.has(name)) rmSync(join(dist, name));
}
const sizes = bundleSizes(bundle);
process.stdout.write(sizesText(sizes, { all: process.argv.includes('--sizes') }));
mkdirSync(cache, { recursive: true });
writeFileSync(join(cache, 'bundle-sizes.json'), `${JSON.stringify(sizes, undefined, 2)}\n`);
const inputs = bundle.chunks.flatMap(({ modules }) => modules).filter((path) => !path.startsWith('\0'));
writeFileSync(join(cache, 'bundle-inputs.json'), `${JSON.stringify(inputs)}\n`);
const folders = packageFolders(inputs);
writeFileSync(join(dist, 'LICENSES.txt'), notices(root, folders));
writeFileSync(
  join(dist, 'sbom.cdx.json'),
  `${JSON.stringify(sbom(root, folders, commit?.time), undefined, 2)}\n`,
);
// The root package.json declares ES modules.
writeFileSync(join(dist, 'package.json'), '{ "type": "commonjs" }\n');

const check = readFileSync(join(root, 'scripts', 'node-version.cjs'), 'utf8').replace(/\/\*.*?\*\/\n/s, '');
const thrown = check.replace(/process\.stderr.*exit\(1\);/s, 'throw new Error(problem);');
for (const [name, start] of [
  ['octavo.js', `#!/usr/bin/env node\n${check}`],
  ['index.js', thrown],
])
  writeFileSync(join(dist, name), start + readFileSync(join(dist, name), 'utf8'));
chmodSync(join(dist, 'octavo.js'), 0o755);
// The stamp has the time of the start, so that later changes count as newer.
const stamp = join(dist, '.built');
writeFileSync(stamp, `${version}\n`);
utimesSync(stamp, started, started);

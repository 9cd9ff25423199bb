/**
 * Writes the declarations of the library as one file, which includes those of zod and imports only Node.js. `types.mjs [file]`; the default
 * is dist/index.d.ts.
 */
import './node-version.cjs';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = process.argv[2] ?? join(root, 'dist', 'index.d.ts');
mkdirSync(join(root, 'dist'), { recursive: true });
// In the repository, so that zod is found, but not in node_modules, whose files count as other people's.
const parts = mkdtempSync(join(root, 'dist', '.types-'));
const entry = join(parts, 'index.d.ts');
const project = join(parts, 'tsconfig.json');

function run(script, args) {
  const path = join(root, 'node_modules', script);
  const { status } = spawnSync(process.execPath, [path, ...args], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${script} failed`);
}

try {
  run('typescript/bin/tsc', ['-p', 'tsconfig.types.json', '--outDir', parts]);
  const compilerOptions = { module: 'NodeNext', types: ['node'], strict: true, skipLibCheck: true };
  writeFileSync(project, JSON.stringify({ compilerOptions, files: [entry] }));
  // dist/package.json declares CommonJS.
  writeFileSync(join(parts, 'package.json'), '{ "type": "module" }\n');
  const flags = ['--external-inlines=zod', '--export-referenced-types=false', '--no-banner', '--no-check'];
  run('dts-bundle-generator/dist/bin/dts-bundle-generator.js', [
    ...['--silent', '--project', project, ...flags, '--out-file', file, entry],
  ]);
} finally {
  rmSync(parts, { recursive: true });
}

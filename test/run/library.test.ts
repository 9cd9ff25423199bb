/** The example of docs/library.md runs as it stands, against the sources in place of the package. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { folder, manifest, root } from '../cli/octavo.ts';

test('the example of docs/library.md', async () => {
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const cwd = folder({ 'example.ts': example });
  mkdirSync(join(cwd, 'manifests'));
  writeFileSync(join(cwd, 'manifests/acme.yaml'), manifest);
  const outfile = join(root, 'node_modules/.cache/octavo/library-example.mjs');
  await build({
    entryPoints: [join(cwd, 'example.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['libsql'],
    alias: { octavo: join(root, 'src/index.ts') },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
  const { status, stdout, stderr } = spawnSync(process.execPath, [outfile], { cwd, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('Plan: 2 to create');
  expect(stdout).toContain('done: teams/platform');
  expect(stdout).toContain('Applied: 2 created');
});

/** The example of docs/library.md runs unchanged, with the built library instead of the installed package. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { folder, manifest, root } from '../cli/octavo.ts';

test('runs the example of docs/library.md', async () => {
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const library = pathToFileURL(join(root, 'dist/index.js')).href;
  const { code } = await transform('example.ts', example.replace("from 'octavo'", `from '${library}'`));
  const cwd = folder({ 'example.mjs': code, 'manifests/acme.yaml': manifest });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['example.mjs'], { cwd, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('Plan: 2 to create');
  expect(stdout).toContain('done: teams/platform');
  expect(stdout).toContain('Applied: 2 created');
});

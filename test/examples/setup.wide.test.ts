/** `npm run setup`, where npm's folder for global packages cannot be written. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, root } from '../cli/octavo.ts';

function setup(prefix: string) {
  const env = { ...process.env, npm_config_prefix: prefix };
  return spawnSync(process.execPath, [join(root, 'scripts/setup.mjs')], { cwd: root, env, encoding: 'utf8' });
}

test('says which folder it cannot write, and two ways that need no other rights', () => {
  const cwd = folder({ taken: '' });
  const ran = setup(join(cwd, 'taken/npm'));
  expect(ran.status).toBe(1);
  expect(ran.stderr.split('\n')[0]).toBe(
    `error: cannot write ${join(cwd, 'taken/npm/lib/node_modules')}, where npm puts global commands`,
  );
  expect(ran.stderr).toContain('npm_config_prefix=~/.local npm run setup');
  expect(ran.stderr).toContain('node dist/octavo.js');
  expect(ran.stderr).not.toContain(' at ');
});

test('puts the command into a folder of the user, as the help says', { timeout: 120_000 }, () => {
  const cwd = folder({});
  const ran = setup(join(cwd, 'own'));
  expect(ran, ran.stderr).toMatchObject({ status: 0 });
  expect(existsSync(join(cwd, 'own/bin/octavo'))).toBe(true);
});

/** Every fault of the table is found within some hundred years. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isDeep } from '../support/runs.ts';
import { mutants } from './mutants.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Of the 20 years of each of six files: together 500. */
const scale = '4.2';

test.runIf(isDeep).each(mutants)('years find it if $name', { timeout: 3_600_000 }, ({ name }) => {
  const { OCTAVO_TEST_CPU: _cpu, OCTAVO_TEST_TIER: _tier, ...given } = process.env;
  const env = { ...given, OCTAVO_MUTANT: name, OCTAVO_TEST_SCALE: scale };
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const command = [vitest, 'run', '--bail', '1', '--reporter=json', 'test/sim/years'];
  const { status, stdout } = spawnSync(process.execPath, command, { cwd: root, env, encoding: 'utf8' });
  expect(status).not.toBe(0);
  // The years themselves failed, and not their start.
  expect(stdout).toContain('Property failed after');
});

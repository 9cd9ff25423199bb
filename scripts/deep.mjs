/**
 * Runs all tests with ten times the random tries and a random seed, which is printed; OCTAVO_TEST_SCALE and
 * OCTAVO_TEST_SEED set other ones. Words that follow are passed on to vitest.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { OCTAVO_TEST_SCALE = '10', OCTAVO_TEST_SEED = String(randomInt(2 ** 31)) } = process.env;

process.stdout.write(`Run the same again with OCTAVO_TEST_SEED=${OCTAVO_TEST_SEED} npm run test:deep\n`);
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, OCTAVO_TEST_SCALE, OCTAVO_TEST_SEED },
});
process.stdout.write(`Seed: ${OCTAVO_TEST_SEED}\n`);
process.exitCode = status ?? 1;

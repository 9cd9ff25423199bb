/**
 * How tests are run. Files share the module graph of their worker: no test replaces modules. Those that start many processes have
 * workers of their own, which stay small, since the start of a process takes the longer the more memory its parent has.
 */
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const scale = Math.max(1, Number(process.env.OCTAVO_TEST_SCALE ?? 1));

/** What gives a file away that starts processes: the module for it, or what uses it for git. */
const startsProcesses = /from '(?:node:child_process|\.\.?\/(?:cli\/)?(?:git|workflow|shell)\.ts)'/;

const starters = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name))
  .filter((name) => startsProcesses.test(readFileSync(name, 'utf8')));

/** Tests write some 100,000 small files: in memory where there is room. */
function fastFolder(): { TMPDIR?: string } {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return {};
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize < 2 ** 31 ? {} : { TMPDIR: memory };
}

const shared = {
  pool: 'forks',
  isolate: false,
  // Some files wait more than they work: for leases, collectors and processes of their own. A percentage stops at 100.
  maxWorkers: 2 * availableParallelism(),
  // Repositories of tests are not tidied up: a sixth of all processes.
  env: { ...fastFolder(), GIT_TEMPLATE_DIR: resolve('test/support/git-template') },
  testTimeout: 30_000 * scale,
  hookTimeout: 30_000,
} as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: starters,
          // Tests make much that is soon garbage, and nobody waits for a pause: a fifth less CPU.
          execArgv: ['--max-semi-space-size=64', '--single-threaded-gc'],
        },
      },
      {
        test: {
          ...shared,
          name: 'processes',
          include: starters,
          execArgv: ['--single-threaded-gc'],
        },
      },
    ],
  },
});

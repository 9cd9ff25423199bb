/** How tests are run. Files share the module graph of their worker: no test replaces modules. */
import { defineConfig } from 'vitest/config';

const scale = Math.max(1, Number(process.env.OCTAVO_TEST_SCALE ?? 1));

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Tests make much that is soon garbage: a tenth less CPU.
    execArgv: ['--max-semi-space-size=64'],
    isolate: false,
    // Some files wait more than they work: for leases, collectors and processes of their own.
    maxWorkers: '200%',
    testTimeout: 30_000 * scale,
    hookTimeout: 30_000,
  },
});

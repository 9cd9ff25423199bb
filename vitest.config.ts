/**
 * How tests are run. Files share the module graph of their worker: no test replaces modules. Those that start processes have
 * workers of their own, which stay small, since the start of a process takes the longer the more memory its parent has.
 * OCTAVO_TEST_TIER chooses files (see scripts/check.mjs); without it, all are run.
 */
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { mutants } from './test/sim/mutants.ts';
import { nativeModules } from './test/support/native-modules.ts';

const { OCTAVO_TEST_TIER: tier, OCTAVO_TEST_SCALE = '1' } = process.env;
const scale = Math.max(1, Number(OCTAVO_TEST_SCALE));

/** What gives a file away that starts processes: the module for it, or what uses it for git. */
const startsProcesses =
  /from '(?:node:child_process|(?:\.\.?\/)+(?:cli\/)?(?:git|clones|workflow|shell)\.ts)'/;
/** What gives a file away of which `npm test` runs a part. */
const isPartly =
  /import \{[^}]*\b(?:tries|runs|some)\b[^}]*\} from '[./]+\/support\/runs\.ts'|from '\.\.?\/(?:check-years|support\/scenarios)\.ts'/;

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => ({ name: join('test', name), text: readFileSync(join('test', name), 'utf8') }))
  .filter(({ name, text }) => {
    const isWide = name.endsWith('.wide.test.ts');
    if (tier === 'author') return !isWide;
    return tier !== 'wide' || isWide || isPartly.test(text);
  });
const namesOf = (some: typeof files) => some.map(({ name }) => name);

/** Tests write some 100,000 small files: in memory where there is room. */
function fastFolder(): { TMPDIR?: string } {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return {};
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize < 2 ** 31 ? {} : { TMPDIR: memory };
}

/** Most code of a test runs a few times: compiled once without optimizing, and late for speed, it takes a quarter less CPU. */
const [major = 0] = process.versions.node.split('.').map(Number);
// Only V8 of Node.js 20 has the last flag; later ones would not start.
const execArgv = [
  '--single-threaded-gc',
  '--always-sparkplug',
  // Node.js 20 warns of JSON that is imported.
  '--disable-warning=ExperimentalWarning',
  ...(major < 22 ? ['--interrupt-budget=1000000'] : []),
];

/** Changes one place of the source, for the test of what years find. */
const mutant = mutants.find(({ name }) => name === process.env.OCTAVO_MUTANT);
const native = nativeModules(mutant?.name ?? 'native', (file, text) => {
  if (mutant === undefined || !file.endsWith(`/src/${mutant.file}`)) return text;
  if (!text.includes(mutant.from)) throw new Error(`${mutant.file} has no ${mutant.from}`);
  return text.replace(mutant.from, mutant.to);
});

const shared = {
  setupFiles: 'test/support/cpu-of-files.ts',
  pool: 'forks',
  isolate: false,
  // Wide tests wait more than they work: for leases, collectors and processes of their own. A percentage stops at 100.
  maxWorkers: (tier === 'author' ? 1 : 2) * availableParallelism(),
  // Repositories of tests are not tidied up: a sixth of all processes.
  env: { ...fastFolder(), GIT_TEMPLATE_DIR: resolve('test/support/git-template') },
  testTimeout: 60_000 * scale,
  hookTimeout: 30_000,
} as const;

export default defineConfig({
  test: {
    // Both projects, and later runs, load what one has transformed.
    experimental: { fsModuleCache: mutant === undefined },
    projects: [
      {
        plugins: [native],
        test: {
          ...shared,
          name: 'tests',
          include: namesOf(files.filter(({ text }) => !startsProcesses.test(text))),
          // Tests make much that is soon garbage, and nobody waits for a pause: a fifth less CPU.
          execArgv: ['--max-semi-space-size=64', ...execArgv],
        },
      },
      {
        plugins: [native],
        test: {
          ...shared,
          name: 'processes',
          include: namesOf(files.filter(({ text }) => startsProcesses.test(text))),
          execArgv,
        },
      },
    ],
  },
});

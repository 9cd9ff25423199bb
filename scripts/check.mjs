/**
 * Runs a tier of the tests; words after its name are passed on to vitest.
 *
 *   (none)  types, lint, dead code, generated files, and all tests but wide ones, with a twentieth of the random tries
 *   wide    test files named *.wide.test.ts, and those with random tries, with all of them
 *   deep    all tests with ten times the tries, and a random seed
 *
 * A failed stage does not hide the next. Prints the names of failed checks, and how many passed and failed, at the end, and writes all
 * of it to $OCTAVO_CHECK_SUMMARY if that is set.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

/** What a stage found out about files that have not changed since. */
const cache = (name) => join(root, 'node_modules', '.cache', name);

/** These stages need the build, but not each other. */
const stages = [
  [
    'types',
    bin('tsc'),
    ['-p', '.', '--singleThreaded', '--incremental', '--tsBuildInfoFile', cache('tsc.json')],
  ],
  ['lint and format', bin('biome'), ['ci', '--error-on-warnings']],
  ['dead code', bin('knip'), ['--no-progress', '--cache', '--cache-location', cache('knip')]],
  ['generated files', process.execPath, ['scripts/generate.mjs', '--check']],
  ['size of src', process.execPath, ['scripts/ceiling.mjs']],
];

// A change is judged by its effects, so only deep runs use a new seed each time.
const fixedSeed = '20261123';
const tiers = {
  author: { stages, scale: '0.05', seed: fixedSeed, mostOfAll: 0.03 },
  wide: { stages: [], scale: '1', seed: fixedSeed },
  deep: { stages: [], scale: '10', seed: String(randomInt(2 ** 31)) },
};
const [, , given = 'author', ...words] = process.argv;
const tier = Object.hasOwn(tiers, given) ? tiers[given] : undefined;
if (tier === undefined) throw new Error(`unknown tier "${given}": one of ${Object.keys(tiers).join(', ')}`);

const scratch = mkdtempSync(join(tmpdir(), 'octavo-check-'));
const report = join(scratch, 'vitest.json');
const seconds = join(scratch, 'cpu.jsonl');
const begun = Date.now();
const secondsSince = (started) => ((Date.now() - started) / 1000).toFixed(1);
const { OCTAVO_TEST_SEED = tier.seed, OCTAVO_TEST_SCALE = tier.scale } = process.env;
const env = {
  ...process.env,
  OCTAVO_TEST_TIER: given,
  OCTAVO_TEST_SEED,
  OCTAVO_TEST_SCALE,
  OCTAVO_TEST_CPU: seconds,
};
// Node reads additional certificates at each start, which takes longer than the start itself; only deep runs install packages.
if (given !== 'deep') delete env.NODE_EXTRA_CA_CERTS;

let passed = 0;
const failures = [];

function count(ok, name, started) {
  if (ok) passed += 1;
  else failures.push(name);
  process.stdout.write(`${ok ? '✓' : '✗'} ${name} (${secondsSince(started)} s)\n`);
}

function run(command, args, stdio) {
  const child = spawn(command, args, { cwd: root, env, stdio, shell: process.platform === 'win32' });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
  return new Promise((done) => {
    child.once('error', () => done({ ok: false, printed }));
    child.once('close', (code) => done({ ok: code === 0, printed }));
  });
}

/** Shows the output of a stage when it has ended, because mixed output would be unreadable. */
async function runStage([name, command, args]) {
  const started = Date.now();
  const { ok, printed } = await run(command, args, 'pipe');
  process.stdout.write(Buffer.concat(printed));
  count(ok, name, started);
}

async function runTests() {
  const started = Date.now();
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { ok } = await run(bin('vitest'), ['run', ...reporters, ...words], 'inherit');
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  passed += counts?.numPassedTests ?? 0;
  const broken = (counts?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((one) => one.status === 'failed').map((one) => one.fullName);
    // A file that cannot be loaded fails without a failed test.
    if (status === 'failed' && tests.length === 0) tests.push(message);
    return tests.map((test) => `${relative(root, name)}: ${test}`);
  });
  // An error outside of tests fails none of them.
  failures.push(...(ok || broken.length > 0 ? broken : ['tests']));
  process.stdout.write(`${ok ? '✓' : '✗'} tests (${secondsSince(started)} s)\n`);
}

/** CPU seconds of ended child processes; only available on Linux. */
function cpuSeconds() {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Limits a file's share of the time, since machines differ: one slow file delays everyone after each change. */
function checkBudget(share) {
  const started = Date.now();
  const all = cpuSeconds();
  const files = readFileSync(seconds, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const tooSlow = files.filter((one) => one.seconds > share * all);
  for (const one of tooSlow) {
    process.stdout.write(
      `${relative(root, one.file)} takes ${one.seconds.toFixed(1)} of ${all.toFixed(0)} CPU seconds, at most ${share * 100} % are allowed: make it faster, split it, or move tests of git remotes, forges, browsers, installs and crowds of processes to a *.wide.test.ts\n`,
    );
  }
  count(
    tooSlow.length === 0,
    `no file takes more than ${share * 100} % of ${all.toFixed(0)} CPU seconds`,
    started,
  );
}

process.stdout.write(
  `Random tests: OCTAVO_TEST_SEED=${OCTAVO_TEST_SEED}, OCTAVO_TEST_SCALE=${OCTAVO_TEST_SCALE}\n`,
);
// Many tests mostly wait, so the stages run concurrently.
await Promise.all([
  runTests(),
  (async () => {
    for (const stage of tier.stages) await runStage(stage);
  })(),
]);
if (tier.mostOfAll !== undefined && words.length === 0 && process.platform === 'linux')
  checkBudget(tier.mostOfAll);

rmSync(scratch, { recursive: true, force: true });
const summary = process.env.OCTAVO_CHECK_SUMMARY;
if (summary !== undefined && summary !== '') writeFileSync(summary, JSON.stringify({ passed, failures }));
process.stdout.write(`Random tests: OCTAVO_TEST_SEED=${OCTAVO_TEST_SEED}\n`);
for (const failure of failures) process.stdout.write(`✗ ${failure}\n`);
process.stdout.write(`${passed} checks passed, ${failures.length} failed in ${secondsSince(begun)} s\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

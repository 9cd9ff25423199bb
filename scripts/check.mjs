/**
 * Everything that must hold before a change is merged: the build, then the tests, and beside them the
 * other stages one after the other. A failed stage does not hide the next. Ends with how many checks passed and failed, and writes both to $OCTAVO_CHECK_SUMMARY where that is set.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'octavo-check-'));
const report = join(scratch, 'vitest.json');
const bin = (name) => join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

const build = ['build', process.execPath, ['scripts/build.mjs']];
/** They need the build, and not each other. The types of all sources are checked once: declarations are only written. */
const stages = [
  ['types', bin('tsc'), ['-p', '.']],
  ['types of pages', bin('tsc'), ['-p', 'src/report/page/script']],
  ['declarations', bin('tsc'), ['-p', 'tsconfig.types.json', '--noCheck']],
  ['lint and format', bin('biome'), ['ci', '--error-on-warnings']],
  ['dead code', bin('knip'), ['--no-progress']],
  ['generated files', process.execPath, ['scripts/generate.mjs', '--check']],
];

const begun = Date.now();
const secondsSince = (started) => ((Date.now() - started) / 1000).toFixed(1);

// Node reads further certificates at each start, which takes longer than the start itself; no test needs them.
delete process.env.NODE_EXTRA_CA_CERTS;

let passed = 0;
let failed = 0;

/** Runs a stage, and shows what it printed when it is over: two that write at once could not be read. */
async function runStage([name, command, args]) {
  const started = Date.now();
  const child = spawn(command, args, { cwd: root, shell: process.platform === 'win32' });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
  const ok = await new Promise((done) => {
    child.once('error', () => done(false));
    child.once('close', (code) => done(code === 0));
  });
  if (ok) passed += 1;
  else failed += 1;
  process.stdout.write(Buffer.concat(printed));
  process.stdout.write(`${ok ? '✓' : '✗'} ${name} (${secondsSince(started)} s)\n`);
}

await runStage(build);
const testsStarted = Date.now();
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
// A change is judged by what it changes, so that this seed stays; `npm run test:deep` takes others.
const testSeed = process.env.OCTAVO_TEST_SEED ?? '20261123';
process.stdout.write(`Seed of random tests: ${testSeed}\n`);
// Many tests wait more than they work, so that the stages run beside them.
const [ok] = await Promise.all([
  new Promise((done) => {
    const child = spawn(bin('vitest'), ['run', ...reporters], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
      env: { ...process.env, OCTAVO_TEST_SEED: testSeed },
    });
    child.once('error', () => done(false));
    child.once('close', (code) => done(code === 0));
  }),
  (async () => {
    for (const stage of stages) await runStage(stage);
  })(),
]);
const counts = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
passed += counts?.numPassedTests ?? 0;
// A file that cannot even be loaded fails without a failed test.
failed += counts?.numFailedTests ?? 0;
if (!ok && (counts?.numFailedTests ?? 0) === 0) failed += Math.max(1, counts?.numFailedTestSuites ?? 1);

process.stdout.write(`${ok ? '✓' : '✗'} tests (${secondsSince(testsStarted)} s)\n`);
rmSync(scratch, { recursive: true, force: true });
const summary = process.env.OCTAVO_CHECK_SUMMARY;
if (summary !== undefined && summary !== '') writeFileSync(summary, JSON.stringify({ passed, failed }));
process.stdout.write(`${passed} checks passed, ${failed} failed in ${secondsSince(begun)} s\n`);
process.exitCode = failed === 0 ? 0 : 1;

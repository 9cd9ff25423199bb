/** Locks as files: one holder at any time, even if processes are killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { fileLock } from '../../../src/run/lock/file-lock.ts';
import { processState } from '../../../src/run/lock/machine.ts';
import { lockFolder } from '../../../src/run/lock/state-folder.ts';
import { stableStringify } from '../../../src/util/json.ts';
import { runs } from '../../support/runs.ts';
import { deadHolder, emptyFolder, held, holder, machine, scope } from './holders.ts';

function lockOf(folder: string, now: () => number = Date.now) {
  return fileLock({ folder, machine, now });
}

/** The file of the only lock in a folder. */
function onlyFile(folder: string): string {
  const [name = '', ...more] = readdirSync(folder);
  expect(more).toEqual([]);
  return join(folder, name);
}

test('allows one holder, who is named to all others', async () => {
  const lock = lockOf(emptyFolder());
  const mine = held(await lock.acquire(scope, holder('r-1')));
  const other = await lock.acquire(scope, holder('r-2'));
  expect(other).toMatchObject({ type: 'busy', holder: { run: 'r-1', ...scope } });
  expect(mine.lost()).toBeUndefined();
  expect(await mine.release()).toBeUndefined();
  held(await lock.acquire(scope, holder('r-2')));
  expect(await lock.list()).toMatchObject([{ content: { run: 'r-2' }, isAbandoned: false }]);
});

test('keeps separate locks for each organization and service', async () => {
  const lock = lockOf(emptyFolder());
  held(await lock.acquire(scope, holder('r-1')));
  held(await lock.acquire({ ...scope, organizations: ['org_other'] }, holder('r-2')));
  held(await lock.acquire({ ...scope, baseUrl: 'https://staging.acme.dev' }, holder('r-3')));
});

test('writes a complete file that only its owner can read', async () => {
  const folder = emptyFolder();
  held(await lockOf(folder).acquire(scope, holder('r-1')));
  const file = onlyFile(folder);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    ...holder('r-1'),
    ...scope,
    since: expect.any(String),
  });
});

test('takes the lock of an ended process over exactly once', async () => {
  const folder = emptyFolder();
  held(await lockOf(folder).acquire(scope, deadHolder('r-dead')));
  expect(await lockOf(folder).list()).toMatchObject([{ isAbandoned: true }]);
  const attempts = await Promise.all(
    ['r-1', 'r-2', 'r-3'].map((run) => lockOf(folder).acquire(scope, holder(run))),
  );
  const winners = attempts.filter(({ type }) => type === 'held');
  expect(winners).toMatchObject([{ takenOver: [{ run: 'r-dead', because: 'whose process has ended' }] }]);
  onlyFile(folder);
});

test('takes the lock over if the process id was reused', async () => {
  const lock = lockOf(emptyFolder());
  const former = { ...holder('r-1'), process: { ...machine.process, started: '1' } };
  held(await lock.acquire(scope, former));
  expect(await lock.acquire(scope, holder('r-2'))).toMatchObject({
    type: 'held',
    takenOver: [{ run: 'r-1' }],
  });
});

test.each([
  ['another machine', { host: 'elsewhere' }],
  ['another container', { process: { ...deadHolder('r').process, namespace: 'pid:[1]' } }],
  ['another machine of that name', { process: { ...deadHolder('r').process, machine: 'other' } }],
])('keeps the lock of %s', async (_, other) => {
  const lock = lockOf(emptyFolder());
  held(await lock.acquire(scope, { ...deadHolder('r-1'), ...other }));
  expect(await lock.acquire(scope, holder('r-2'))).toMatchObject({ type: 'busy', holder: { run: 'r-1' } });
  expect(await lock.list()).toMatchObject([{ isAbandoned: false }]);
});

test('treats a process as ended if its machine was restarted', () => {
  const own = { ...machine, process: { ...machine.process, machine: 'm', boot: 'now' } };
  const before = { ...own.process, boot: 'before' };
  expect(processState({ host: own.host, process: before }, own)).toBe('gone');
  // Without a machine id, it may be another machine with the same name.
  const { machine: _, ...unnamed } = before;
  const { machine: __, ...ownUnnamed } = own.process;
  expect(processState({ host: own.host, process: unnamed }, { ...own, process: ownUnnamed })).toBe('unknown');
});

test('reports a damaged file by name', async () => {
  const folder = emptyFolder();
  held(await lockOf(folder).acquire(scope, holder('r-1')));
  const file = onlyFile(folder);
  for (const text of ['', '{', '{"format":1}', readFileSync(file, 'utf8').replace('r-1', 'r-1\\u0007')]) {
    writeFileSync(file, text);
    await expect(lockOf(folder).acquire(scope, holder('r-2'))).rejects.toThrow(
      `the lock file ${file} is damaged`,
    );
  }
});

test('reports a folder that is not writable by name', async () => {
  if (process.getuid?.() === 0) return;
  const folder = emptyFolder();
  chmodSync(folder, 0o500);
  onTestFinished(() => chmodSync(folder, 0o700));
  await expect(lockOf(folder).acquire(scope, holder('r-1'))).rejects.toThrow(
    /cannot create the lock .*permission denied/,
  );
});

test('loses a lock that is removed, and the next holder keeps it', async () => {
  let time = 1000;
  const lock = lockOf(emptyFolder(), () => time);
  const mine = held(await lock.acquire(scope, holder('r-1')));
  const [listed] = await lock.list();
  expect(await listed?.remove()).toBe(true);
  expect(await listed?.remove()).toBe(false);
  const next = held(await lock.acquire(scope, holder('r-2')));
  time += 1000;
  expect(mine.lost()).toContain('octavo unlock');
  expect(await mine.release()).toBeUndefined();
  expect(await listed?.remove()).toBe(false);
  time += 1000;
  expect(next.lost()).toBeUndefined();
  expect(await lock.acquire(scope, holder('r-3'))).toMatchObject({ type: 'busy', holder: { run: 'r-2' } });
});

/** Guard of a run that was killed while removing a lock; empty if it was killed before writing its name. */
test.each([
  ['a process that has ended', stableStringify(deadHolder('r-x')), 0, true],
  ['an unknown run, long ago', '', 11_000, true],
  ['an unknown run, just now', '', 0, false],
  ['another machine, long ago', stableStringify({ ...holder('r-x'), host: 'elsewhere' }), 11_000, true],
  ['another machine, just now', stableStringify({ ...holder('r-x'), host: 'elsewhere' }), 0, false],
  ['a process that is running', stableStringify(holder('r-x')), 11_000, false],
])('replaces a guard of %s or reports it', async (_, text, age, isReplaced) => {
  const folder = emptyFolder();
  const lock = lockOf(folder, () => Date.now() + age);
  held(await lock.acquire(scope, deadHolder('r-dead')));
  const guard = onlyFile(folder).replace('.json', '.guard');
  writeFileSync(guard, text);
  const taken = lock.acquire(scope, holder('r-1'));
  if (isReplaced) expect(await held(await taken).release()).toBeUndefined();
  else await expect(taken).rejects.toThrow(/is being changed by another run/);
  rmSync(guard, { force: true });
  expect(readdirSync(folder)).toHaveLength(isReplaced ? 0 : 1);
});

test('acquires a lock after a run was killed while removing it', async () => {
  const folder = emptyFolder();
  const script = await contender();
  // Killed as soon as its guard exists.
  const preload = join(emptyFolder(), 'kill.cjs');
  writeFileSync(
    preload,
    "const fs = require('node:fs'); const { closeSync, openSync } = fs; let guard;" +
      'fs.openSync = (name, ...more) => { const file = openSync(name, ...more); if (/guard$/.test(name)) guard = file; return file; };' +
      'fs.closeSync = (file) => { closeSync(file); if (file === guard) process.kill(process.pid, "SIGKILL"); };' +
      "require('node:module').syncBuiltinESMExports();",
  );
  const killed = spawn(process.execPath, ['--require', preload, script, folder, join(folder, 'proof'), '1']);
  await once(killed, 'close');
  expect(killed.signalCode).toBe('SIGKILL');
  expect(
    readdirSync(folder)
      .map((name) => name.slice(-5))
      .sort(),
  ).toEqual(['.json', 'guard']);
  expect(await held(await lockOf(folder).acquire(scope, holder('r-1'))).release()).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test('waits for a file that is still being written', async () => {
  const folder = emptyFolder();
  held(await lockOf(folder).acquire(scope, holder('r-1')));
  const file = onlyFile(folder);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, 40));
  const write = 'fs.writeFileSync(process.argv[1], process.argv[2])';
  const script = `console.log('ready'); setTimeout(() => ${write}, 100)`;
  const writer = spawn(process.execPath, ['-e', script, file, text]);
  const ended = once(writer, 'close');
  await once(writer.stdout, 'data');
  expect(await lockOf(folder).acquire(scope, holder('r-2'))).toMatchObject({
    type: 'busy',
    holder: { run: 'r-1' },
  });
  await ended;
});

/** A process that acquires and releases the lock repeatedly, and proves each time that it is the only holder. */
async function contend(script: string, args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let problem = '';
  child.stderr.on('data', (text: Buffer) => {
    problem += String(text);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, problem };
}

async function contender(): Promise<string> {
  const script = join(emptyFolder(), 'contender.mjs');
  await build({
    input: fileURLToPath(new URL('contender.ts', import.meta.url)),
    platform: 'node',
    output: { file: script, format: 'esm', codeSplitting: false },
  });
  return script;
}

test('never lets two processes hold the lock, even if some are killed', async () => {
  const folder = emptyFolder();
  const script = await contender();
  const proof = join(emptyFolder(), 'proof');
  const ends = await Promise.all(
    ['', 'die', '', 'die'].map((end) => contend(script, [folder, proof, String(runs(20)), end])),
  );
  const [lived, died] = [
    { code: 0, signal: null, problem: '' },
    { code: null, signal: 'SIGKILL', problem: '' },
  ];
  expect(ends).toEqual([lived, died, lived, died]);
  expect(readdirSync(folder).filter((name) => !name.endsWith('.json'))).toEqual([]);
  expect(readdirSync(folder).length).toBeLessThanOrEqual(1);
});

test('uses the folder of the user for every clone', () => {
  const home = emptyFolder();
  expect(lockFolder({ XDG_STATE_HOME: home })).toBe(join(home, 'octavo', 'locks'));
  expect(statSync(join(home, 'octavo', 'locks')).mode & 0o777).toBe(0o700);
  expect(lockFolder({ HOME: home })).toContain(home);
  expect(lockFolder({ HOME: home, XDG_STATE_HOME: 'relative' })).toContain(home);
});

test('uses a temporary folder of the user without a home', () => {
  const file = join(emptyFolder(), 'file');
  writeFileSync(file, '');
  expect(lockFolder({ HOME: join(file, 'home') })).toMatch(/octavo-locks-\d+$/);
  expect(() => lockFolder({ XDG_STATE_HOME: file })).toThrow(/cannot create the folder for locks/);
});

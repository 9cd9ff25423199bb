/** Locks as refs of a repository: one holder at any time, even if processes are killed. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { processState } from '../../../src/past/lock/machine.ts';
import { lockRef } from '../../../src/past/lock/ref-lock.ts';
import { patience, runs } from '../../support/runs.ts';
import {
  deadHolder,
  emptyFolder,
  held,
  holder,
  localLock,
  loss,
  machine,
  repository,
  scope,
  wait,
} from './holders.ts';

const ref = lockRef('org_acme', scope.baseUrl);

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

function refsIn(root: string): readonly string[] {
  return git(root, 'for-each-ref', '--format=%(refname)').split('\n').filter(Boolean);
}

test('allows one holder, who is named to all others', async () => {
  const root = repository();
  const lock = localLock(root);
  const mine = held(await lock.acquire(scope, holder('r-1')));
  const other = await lock.acquire(scope, holder('r-2'));
  expect(other).toMatchObject({ type: 'busy', holder: { run: 'r-1', ...scope } });
  expect(mine.lost()).toBeUndefined();
  expect(await mine.release()).toBeUndefined();
  expect(refsIn(root)).toEqual([]);
  held(await lock.acquire(scope, holder('r-2')));
  expect(await lock.list()).toMatchObject([{ content: { run: 'r-2' }, isAbandoned: false }]);
});

test('keeps separate locks for each organization and service', async () => {
  const lock = localLock(repository());
  held(await lock.acquire(scope, holder('r-1')));
  held(await lock.acquire({ ...scope, organizations: ['org_other'] }, holder('r-2')));
  held(await lock.acquire({ ...scope, baseUrl: 'https://staging.acme.dev' }, holder('r-3')));
});

test('shares the lock among the work trees of a repository', async () => {
  const root = repository();
  git(root, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-qm', 'x');
  const tree = join(emptyFolder(), 'tree');
  git(root, 'worktree', 'add', '-q', tree);
  const mine = held(await localLock(root).acquire(scope, holder('r-1')));
  const other = localLock(tree);
  expect(await other.acquire(scope, holder('r-2'))).toMatchObject({ type: 'busy', holder: { run: 'r-1' } });
  expect(await mine.release()).toBeUndefined();
  expect(await held(await other.acquire(scope, holder('r-2'))).release()).toBeUndefined();
});

test('keeps a lock whose ref another git command packs', async () => {
  const root = repository();
  const lock = localLock(root);
  const mine = held(await lock.acquire(scope, holder('r-1')));
  git(root, 'pack-refs', '--all');
  expect(existsSync(join(root, '.git', ref))).toBe(false);
  await wait(1500);
  expect(mine.lost()).toBeUndefined();
  expect(await lock.acquire(scope, holder('r-2'))).toMatchObject({ type: 'busy' });
  expect(await mine.release()).toBeUndefined();
  expect(refsIn(root)).toEqual([]);
});

test('takes the lock of an ended process over exactly once', async () => {
  const root = repository();
  held(await localLock(root).acquire(scope, deadHolder('r-dead')));
  expect(await localLock(root).list()).toMatchObject([{ isAbandoned: true }]);
  const attempts = await Promise.all(
    ['r-1', 'r-2', 'r-3'].map((run) => localLock(root).acquire(scope, holder(run))),
  );
  const winners = attempts.filter(({ type }) => type === 'held');
  expect(winners).toMatchObject([{ takenOver: [{ run: 'r-dead', because: 'whose process has ended' }] }]);
  expect(refsIn(root)).toEqual([ref]);
});

test('takes the lock over if the process id was reused', async () => {
  const lock = localLock(repository());
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
])('keeps the lock of %s, however long it takes', async (_, other) => {
  const root = repository();
  let now = Date.now();
  const lock = localLock(root, () => now);
  held(await lock.acquire(scope, { ...deadHolder('r-1'), ...other }));
  for (let count = 0; count < 20; count += 1) {
    now += 600_000;
    const attempt = await lock.acquire(scope, holder('r-2'));
    expect(attempt).toMatchObject({ type: 'busy', holder: { run: 'r-1' } });
    expect(attempt).not.toHaveProperty('abandonedIn');
  }
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

test('reports a ref that is not a lock by name, and how to delete it', async () => {
  const root = repository();
  git(root, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-qm', 'x');
  git(root, 'update-ref', ref, 'HEAD');
  await expect(localLock(root).acquire(scope, holder('r-1'))).rejects.toMatchObject({
    message: expect.stringContaining(`the ref ${ref} of this repository holds no lock`),
    diagnostics: [{ suggestion: expect.stringContaining(`git update-ref -d ${ref}`) }],
  });
});

test('reports a repository that is not writable, and what to do', async () => {
  if (process.getuid?.() === 0) return;
  const root = repository();
  const closed = [join(root, '.git/objects'), join(root, '.git/refs')];
  for (const folder of closed) chmodSync(folder, 0o500);
  onTestFinished(() => {
    for (const folder of closed) chmodSync(folder, 0o700);
  });
  await expect(localLock(root).acquire(scope, holder('r-1'))).rejects.toMatchObject({
    message: expect.stringMatching(/the lock in this repository cannot be read or written: .*permission/i),
    diagnostics: [{ suggestion: expect.stringContaining('--lock none') }],
  });
  expect(await localLock(root).list()).toEqual([]);
});

test('loses a lock that is removed, and the next holder keeps it', async () => {
  const lock = localLock(repository());
  const mine = held(await lock.acquire(scope, holder('r-1')));
  const [listed] = await lock.list();
  expect(await listed?.remove()).toBe(true);
  expect(await listed?.remove()).toBe(false);
  const next = held(await lock.acquire(scope, holder('r-2')));
  expect(await loss(mine)).toMatch(
    /^(another run took it over|it was removed by octavo unlock, or by hand)$/,
  );
  expect(await mine.release()).toBeUndefined();
  expect(await listed?.remove()).toBe(false);
  await wait(1500);
  expect(next.lost()).toBeUndefined();
  expect(await lock.acquire(scope, holder('r-3'))).toMatchObject({ type: 'busy', holder: { run: 'r-2' } });
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

test('never lets two processes hold the lock, even if some are killed', {
  timeout: patience(120_000),
}, async () => {
  const root = repository();
  const script = await contender();
  const proof = join(emptyFolder(), 'proof');
  const ends = await Promise.all(
    ['', 'die', '', 'die'].map((end) => contend(script, [root, proof, String(runs(3)), end])),
  );
  const [lived, died] = [
    { code: 0, signal: null, problem: '' },
    { code: null, signal: 'SIGKILL', problem: '' },
  ];
  expect(ends).toEqual([lived, died, lived, died]);
  expect(refsIn(root).length).toBeLessThanOrEqual(1);
});

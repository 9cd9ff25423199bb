/** Locks in a git remote: bare repositories and clones on disk, several machines in one process. */

import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Git } from '../../../src/manifest/files/git.ts';
import { GitRepository } from '../../../src/manifest/files/git-repository.ts';
import { RefStore } from '../../../src/past/git/ref-store.ts';
import type { HeldLock, Lock, LockContent, LockHolder } from '../../../src/past/lock/lock.ts';
import { lockRef, refLock } from '../../../src/past/lock/ref-lock.ts';
import { patience, runs } from '../../support/runs.ts';
import {
  deadHolder,
  emptyFolder,
  held,
  holder,
  localLock,
  loss,
  machine,
  repositories,
  scope,
  wait,
} from './holders.ts';

const ref = lockRef('org_acme', scope.baseUrl);
const long = 60_000;

/** A clock that stands almost still: locks are renewed in real time, but a slow machine does not lose them. */
function slowClock(): () => number {
  let now = Date.now();
  return () => {
    now += 1;
    return now;
  };
}

/** The lock in the remote, if any. */
function inRemote(bare: string): unknown {
  const oid = execFileSync('git', ['for-each-ref', '--format=%(objectname)', ref], {
    cwd: bare,
    encoding: 'utf8',
  });
  if (oid === '') return undefined;
  const text = execFileSync('git', ['cat-file', 'blob', `${oid.trim()}:lock.json`], {
    cwd: bare,
    encoding: 'utf8',
  });
  return JSON.parse(text);
}

test('allows one holder, who is named in every clone', async () => {
  const { bare, locks } = repositories(2);
  const [one, two] = [locks(0, long), locks(1, long)];
  const mine = held(await one.acquire(scope, holder('r-1')));
  expect(inRemote(bare)).toMatchObject({ ...scope, run: 'r-1', lease: 60 });
  expect(await two.acquire(scope, holder('r-2'))).toMatchObject({ type: 'busy', holder: { run: 'r-1' } });
  expect(await two.list()).toMatchObject([{ content: { run: 'r-1' } }]);
  held(await two.acquire({ ...scope, baseUrl: 'https://staging.acme.dev' }, holder('r-3')));
  expect(await mine.release()).toBeUndefined();
  expect(inRemote(bare)).toBeUndefined();
  const next = held(await two.acquire(scope, holder('r-2')));
  expect(mine.lost()).toBeUndefined();
  expect(await next.release()).toBeUndefined();
});

test('acquires the locks of all organizations with one push, or none', async () => {
  const { bare, locks } = repositories(2);
  const [one, two] = [locks(0, 6000, slowClock()), locks(1, 6000)];
  const all = Array.from({ length: 40 }, (_, at) => `org_${at}`).sort();
  const refs = () =>
    execFileSync('git', ['for-each-ref', '--format=%(objectname)', 'refs/octavo'], {
      cwd: bare,
      encoding: 'utf8',
    })
      .split('\n')
      .filter((line) => line !== '');
  const single = held(await two.acquire({ ...scope, organizations: ['org_7'] }, holder('r-2')));
  const refused = await one.acquire({ ...scope, organizations: all }, holder('r-1'));
  expect(refused).toMatchObject({ type: 'busy', organization: 'org_7', holder: { run: 'r-2' } });
  expect(refs()).toHaveLength(1);
  await single.release();
  const mine = held(await one.acquire({ ...scope, organizations: all }, holder('r-1')));
  const before = refs();
  expect(before).toHaveLength(40);
  expect(new Set(before).size).toBe(1);
  expect(await two.list()).toMatchObject([{ organizations: all, content: { run: 'r-1' } }]);
  // All are renewed together.
  // Git changes the files of refs one after the other.
  while (refs().some((oid) => before.includes(oid))) await wait(50);
  expect(new Set(refs()).size).toBe(1);
  expect(mine.lost()).toBeUndefined();
  // The next renewal reports a removed lock as lost; the others are released.
  const removed = lockRef('org_3', scope.baseUrl);
  execFileSync('git', ['update-ref', '-d', removed], { cwd: bare });
  expect(await loss(mine)).toContain('octavo unlock');
  expect(await mine.release()).toBeUndefined();
  expect(refs()).toEqual([]);
});

test('allows one holder at any time among many contenders in many clones', {
  timeout: patience(120_000),
}, async () => {
  const { locks } = repositories(4);
  let inside = 0;
  let taken = 0;
  const contend = async (at: number) => {
    const lock = locks(at, long);
    for (let done = 0; done < runs(2); ) {
      const attempt = await lock.acquire(scope, holder(`r-${at}-${done}`));
      if (attempt.type === 'busy') {
        await wait(20 * Math.random());
        continue;
      }
      inside += 1;
      expect(inside).toBe(1);
      await wait(5);
      inside -= 1;
      taken += 1;
      done += 1;
      expect(await attempt.lock.release()).toBeUndefined();
    }
  };
  await Promise.all([0, 1, 2, 3].map(contend));
  expect(taken).toBe(4 * runs(2));
});

/** Time of the last renewal of the lock in the remote. */
function renewedIn(bare: string): string | undefined {
  return (inRemote(bare) as LockContent | undefined)?.renewed;
}

/** Waits for a number of renewals of the lock in the remote. */
async function renewals(bare: string, count: number, meanwhile: () => Promise<void>): Promise<void> {
  const seen = new Set([renewedIn(bare)]);
  while (seen.size <= count) {
    await meanwhile();
    await wait(50);
    seen.add(renewedIn(bare));
  }
}

test('renews a lock automatically, and no one takes it over in the meantime', async () => {
  const { bare, locks } = repositories(2);
  const mine = held(await locks(0, 12_000).acquire(scope, holder('r-1')));
  const other = locks(1, 12_000);
  await renewals(bare, 2, async () => {
    expect(await other.acquire(scope, holder('r-2'))).toMatchObject({ type: 'busy', holder: { run: 'r-1' } });
  });
  expect(mine.lost()).toBeUndefined();
  expect(await mine.release()).toBeUndefined();
  expect(inRemote(bare)).toBeUndefined();
});

/** Leaves the lock in the remote as a run of another machine does that is killed. */
async function killed(bare: string, lock: Lock, by: LockHolder = holder('r-killed')): Promise<HeldLock> {
  const mine = held(await lock.acquire(scope, by));
  const oid = execFileSync('git', ['rev-parse', ref], { cwd: bare, encoding: 'utf8' }).trim();
  await mine.release();
  execFileSync('git', ['update-ref', ref, oid], { cwd: bare });
  return mine;
}

test('takes the lock of a killed holder over after its lease, exactly once', async () => {
  const { bare, locks } = repositories(3);
  let now = Date.now();
  const clock = () => now;
  await killed(bare, locks(0, 6000, clock));
  const waiting = [locks(1, 6000, clock), locks(2, 6000, clock)];
  const attemptAll = () => Promise.all(waiting.map((lock, at) => lock.acquire(scope, holder(`r-${at}`))));
  expect(await attemptAll()).toMatchObject([{ type: 'busy' }, { type: 'busy' }]);
  now += 5900;
  expect(await attemptAll()).toMatchObject([{ type: 'busy' }, { type: 'busy' }]);
  now += 200;
  const attempts = await attemptAll();
  const winners = attempts.filter((attempt) => attempt.type === 'held');
  expect(winners).toMatchObject([
    { takenOver: [{ run: 'r-killed', because: 'which did not renew it for 6 s' }] },
  ]);
  await winners[0]?.lock.release();
});

test('takes the lock of an ended process over without waiting, only while its machine runs', async () => {
  const { bare, locks } = repositories(2);
  const { process: own, ...dead } = deadHolder('r-dead');
  for (const boot of [undefined, 'before']) {
    const { boot: _, ...unknown } = own;
    const by = { ...dead, process: boot === undefined ? unknown : { ...own, boot } };
    const left = await killed(bare, locks(0, long), by);
    expect(await locks(1, long).acquire(scope, holder('r-2'))).toMatchObject({ type: 'busy' });
    await left.release();
  }
  await killed(bare, locks(0, long), deadHolder('r-dead'));
  const taken = await locks(1, long).acquire(scope, holder('r-2'));
  expect(taken).toMatchObject({ takenOver: [{ run: 'r-dead', because: 'whose process has ended' }] });
  await held(taken).release();
});

test('excludes a run without a remote in the same clone, in both orders', async () => {
  const { bare, clones, locks } = repositories(2);
  const local = localLock(clones[0] ?? '');
  const remote = held(await locks(0, long).acquire(scope, holder('r-1')));
  expect(await local.acquire(scope, holder('r-2'))).toMatchObject({ type: 'busy', holder: { run: 'r-1' } });
  expect(await local.list()).toMatchObject([{ content: { run: 'r-1' } }]);
  await remote.release();
  const alone = held(await local.acquire(scope, holder('r-2')));
  expect(inRemote(bare)).toBeUndefined();
  expect(await locks(0, long).acquire(scope, holder('r-1'))).toMatchObject({
    type: 'busy',
    holder: { run: 'r-2' },
  });
  expect(inRemote(bare)).toBeUndefined();
  await alone.release();
});

test('leaves no lock in the clone while the remote is locked', async () => {
  const { clones, locks } = repositories(2);
  const other = held(await locks(1, long).acquire(scope, holder('r-2')));
  expect(await locks(0, long).acquire(scope, holder('r-1'))).toMatchObject({ type: 'busy' });
  const free = held(await localLock(clones[0] ?? '').acquire(scope, holder('r-3')));
  await Promise.all([other.release(), free.release()]);
});

test('loses a lock that is removed only in the clone', async () => {
  const { bare, clones, locks } = repositories(1);
  const mine = held(await locks(0, long).acquire(scope, holder('r-1')));
  execFileSync('git', ['update-ref', '-d', ref], { cwd: clones[0] });
  expect(await loss(mine)).toContain('octavo unlock');
  expect(await mine.release()).toBeUndefined();
  expect(inRemote(bare)).toBeUndefined();
});

test('removes the lock of a run in the clone and in the remote', async () => {
  const { bare, clones, locks } = repositories(1);
  const mine = held(await locks(0, long).acquire(scope, holder('r-1')));
  const listed = await locks(0, long).list();
  expect(listed).toMatchObject([{ organizations: ['org_acme'], content: { run: 'r-1' } }]);
  expect(await listed[0]?.remove()).toBe(true);
  expect(await listed[0]?.remove()).toBe(false);
  expect(inRemote(bare)).toBeUndefined();
  expect(await localLock(clones[0] ?? '').list()).toEqual([]);
  expect(await loss(mine)).toContain('octavo unlock');
});

test('does not count the sleep of a machine as part of the lease', async () => {
  const { bare, locks } = repositories(2);
  let now = Date.now();
  await killed(
    bare,
    locks(0, long, () => now),
  );
  const other = locks(1, long, () => now);
  expect(await other.acquire(scope, holder('r-2'))).toMatchObject({ type: 'busy' });
  now += 10 * long;
  expect(await other.acquire(scope, holder('r-2'))).toMatchObject({
    type: 'busy',
    abandonedIn: expect.any(Number),
  });
});

test('reports when an abandoned lock can be taken over, without trusting the clock of its holder', async () => {
  const { bare, locks } = repositories(2);
  const now = Date.now();
  const mine = await killed(
    bare,
    locks(0, long, () => now),
  );
  const ahead = locks(1, long, () => now + 3 * long);
  expect(await ahead.acquire(scope, holder('r-2'))).toMatchObject({ type: 'busy', abandonedIn: long });
  expect(await locks(1, long, () => now).acquire(scope, holder('r-2'))).not.toHaveProperty('abandonedIn');
  expect(await mine.release()).toBeUndefined();
});

test('loses the lock of a holder that slept before another request is sent', async () => {
  const { locks } = repositories(1);
  let now = Date.now();
  const mine = held(await locks(0, long, () => now).acquire(scope, holder('r-1')));
  now += 40_000;
  expect(mine.lost()).toBeUndefined();
  now += 10_000;
  expect(mine.lost()).toContain('could not be renewed in time (its lease is 1 min)');
  now -= 50_000;
  expect(mine.lost()).toContain('could not be renewed');
  await mine.release();
});

test('keeps a lock in a short outage of the remote', async () => {
  const { bare, locks } = repositories(1);
  const mine = held(await locks(0, 4500, slowClock()).acquire(scope, holder('r-1')));
  renameSync(bare, `${bare}.away`);
  await wait(1700);
  renameSync(`${bare}.away`, bare);
  await renewals(bare, 1, async () => undefined);
  expect(mine.lost()).toBeUndefined();
  expect(await mine.release()).toBeUndefined();
});

test('loses a lock in a long outage of the remote', async () => {
  const { bare, locks } = repositories(1);
  const mine = held(await locks(0, 6000).acquire(scope, holder('r-1')));
  renameSync(bare, `${bare}.away`);
  expect(await loss(mine)).toMatch(
    /could not be renewed in time \(its lease is 6 s\): .*does not appear to be a git repository/,
  );
  renameSync(`${bare}.away`, bare);
  expect(await mine.release()).toBeUndefined();
  expect(inRemote(bare)).toBeUndefined();
});

test('loses a removed lock at the next renewal, and the next holder keeps it', async () => {
  const { bare, locks } = repositories(2);
  const mine = held(await locks(0, 15_000).acquire(scope, holder('r-1')));
  const other = locks(1, long);
  const [listed] = await other.list();
  expect(await listed?.remove()).toBe(true);
  const next = held(await other.acquire(scope, holder('r-2')));
  expect(await listed?.remove()).toBe(false);
  expect(await loss(mine)).toBe('another run took it over');
  expect(await mine.release()).toBeUndefined();
  expect(inRemote(bare)).toMatchObject({ run: 'r-2' });
  await next.release();
});

test('recognizes its own push if the response was lost', async () => {
  const { bare, clones, locks } = repositories(1);
  // The push arrives, and the connection ends before git confirms it.
  const broken = join(clones[0] ?? '', '..', 'broken');
  const marker = `${broken}.once`;
  writeFileSync(
    broken,
    `#!/bin/sh\ngit-receive-pack "$@"\n[ -e ${marker} ] && exit 0\n: > ${marker}\nexit 1\n`,
    { mode: 0o755 },
  );
  execFileSync('git', ['config', 'remote.origin.receivepack', broken], { cwd: clones[0] });
  const mine = held(await locks(0, 3000, slowClock()).acquire(scope, holder('r-1')));
  await renewals(bare, 1, async () => undefined);
  expect(mine.lost()).toBeUndefined();
  expect(await mine.release()).toBeUndefined();
  expect(inRemote(bare)).toBeUndefined();
});

test('reports why a remote refuses', async () => {
  const { bare, locks } = repositories(1);
  writeFileSync(join(bare, 'hooks', 'pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  await expect(locks(0, long).acquire(scope, holder('r-1'))).rejects.toThrow(
    'the lock in this repository and origin cannot be read or written: pre-receive hook declined',
  );
});

test('reports a ref that is not a lock by name', async () => {
  const { clones, locks } = repositories(1);
  const commit = ['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-qm', 'x'];
  execFileSync('git', commit, { cwd: clones[0] });
  execFileSync('git', ['push', '-q', 'origin', `HEAD:${ref}`], { cwd: clones[0], stdio: 'ignore' });
  await expect(locks(0, long).acquire(scope, holder('r-1'))).rejects.toThrow(
    `the ref ${ref} of origin holds no lock`,
  );
});

test('ignores hooks and settings of the clone', async () => {
  const { bare, clones, locks } = repositories(1);
  writeFileSync(join(clones[0] ?? '', '.git', 'hooks', 'pre-push'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  execFileSync('git', ['config', 'commit.gpgSign', 'true'], { cwd: clones[0] });
  const mine = held(await locks(0, long).acquire(scope, holder('r-1')));
  expect(await mine.release()).toBeUndefined();
  expect(inRemote(bare)).toBeUndefined();
});

test('fails if refs never settle, and ends with the signal', { timeout: 120_000 }, async () => {
  const { clones } = repositories(1);
  const [root = ''] = clones;
  const bin = emptyFolder();
  // Every push is rejected as if another client was faster.
  const answer = `case "$*" in *" push "*) printf '!\\tx:y\\t[rejected] (stale info)\\n'; exit 1;; esac`;
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${answer}\nPATH="\${PATH#*:}" exec git "$@"\n`, {
    mode: 0o755,
  });
  const git = new Git({ ...process.env, PATH: `${bin}:${process.env.PATH}` });
  const store = new RefStore(new GitRepository(git, root));
  const lock = refLock({ store, remote: 'origin', machine, lease: long, now: Date.now });
  await expect(lock.acquire(scope, holder('r-1'))).rejects.toThrow('changed in each of 30 attempts');
  const stop = new AbortController();
  const taking = lock.acquire(scope, holder('r-1'), stop.signal);
  stop.abort(new Error('interrupted'));
  await expect(taking).rejects.toThrow('interrupted');
});

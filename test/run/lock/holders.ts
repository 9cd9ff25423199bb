/** Holders and places of locks for tests: real folders, real repositories, real processes. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { thisMachine } from '../../../src/cli/world/process-world.ts';
import { Git } from '../../../src/manifest/files/git.ts';
import { GitRepository } from '../../../src/manifest/files/git-repository.ts';
import { RefStore } from '../../../src/past/git/ref-store.ts';
import type { HeldLock, Lock, LockAttempt, LockHolder } from '../../../src/past/lock/lock.ts';
import { describeMachine } from '../../../src/past/lock/machine.ts';
import { refLock } from '../../../src/past/lock/ref-lock.ts';

/** Scope of the locks in tests. */
export const scope = { organizations: ['org_acme'], baseUrl: 'https://api.acme.dev' };

/** Description of this machine in locks. */
export const machine = describeMachine(thisMachine);

/** A run of this process. */
export function holder(run: string): LockHolder {
  const { owner, host, process } = machine;
  return { format: 1, owner, host, process, since: new Date().toISOString(), run, command: 'octavo apply' };
}

/** The id of a process that has ended. */
export function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

/** A holder whose process has ended. */
export function deadHolder(run: string): LockHolder {
  return { ...holder(run), process: { ...machine.process, pid: deadPid(), started: '1' } };
}

/** An empty folder, deleted after the test. */
export function emptyFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'octavo-lock-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** An empty repository. */
export function repository(): string {
  const root = emptyFolder();
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  return root;
}

/** The lock of a repository without a remote. */
export function localLock(root: string, now: () => number = Date.now): Lock {
  return refLock({
    store: new RefStore(new GitRepository(new Git(process.env), root)),
    machine,
    lease: 60_000,
    now,
  });
}

/** A bare repository, `count` clones of it, and the lock of each; `lease` in milliseconds. */
export function repositories(count: number) {
  const root = emptyFolder();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
  git('init', '--bare', 'bare.git');
  const names = Array.from({ length: count }, (_, at) => `clone${at}`);
  for (const name of names) git('clone', '--quiet', 'bare.git', name);
  const clones = names.map((name) => join(root, name));
  const locks = (at: number, lease: number, now: () => number = Date.now): Lock =>
    refLock({
      store: new RefStore(new GitRepository(new Git(process.env), clones[at] ?? root)),
      remote: 'origin',
      machine,
      lease,
      now,
    });
  return { bare: join(root, 'bare.git'), clones, locks };
}

/** The acquired lock. Throws if it is busy. */
export function held(attempt: LockAttempt): HeldLock {
  if (attempt.type !== 'held') throw new Error(`held by ${attempt.holder.run}`);
  return attempt.lock;
}

/** Waits in real time. */
export function wait(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/** Waits until the lock is lost and returns the reason. */
export async function loss(lock: HeldLock): Promise<string> {
  for (;;) {
    const because = lock.lost();
    if (because !== undefined) return because;
    await wait(20);
  }
}

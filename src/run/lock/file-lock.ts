/**
 * Locks as files of one machine and user. A lock is one file, created exclusively, with the process and host of its holder; the lock
 * of a dead process is replaced. A run holds a guard while it removes a lock. Otherwise, two runs that saw the same dead lock
 * could remove each other's new one.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { stableStringify } from '../../util/json.ts';
import { messageOf, reasonOf, userError } from '../../util/user-error.ts';
import {
  type HeldLock,
  type Lock,
  type LockAttempt,
  type LockContent,
  type LockScope,
  parseLock,
} from './lock.ts';
import { type LockMachine, processState } from './machine.ts';

export interface FileLockOptions {
  readonly folder: string;
  readonly machine: LockMachine;
  readonly now: () => number;
}

type Busy = Extract<LockAttempt, { type: 'busy' }>;

interface TakenFile {
  readonly file: string;
  readonly takenOver: Extract<LockAttempt, { type: 'held' }>['takenOver'];
}

/** Time in milliseconds for which a check of the files is cached. */
const freshness = 100;

/** Time in milliseconds after which no process can still hold a guard. */
const guardedFor = 10_000;

export function fileLock(options: FileLockOptions): Lock {
  const { folder, machine } = options;
  return {
    interval: 250,
    acquire: async ({ organizations, baseUrl }, holder) => {
      const scopes = [...new Set(organizations)].sort().map((one) => ({ organizations: [one], baseUrl }));
      // Wait before taking any lock, so that a waiting run never holds one.
      for (const scope of scopes) {
        const content = readLock(fileOf(folder, scope));
        if (content !== undefined && !isGone(content, machine)) return busyWith(scope, content);
      }
      return takeAll(
        scopes.map((scope) => () => take(fileOf(folder, scope), { ...holder, ...scope }, options)),
        holder.run,
        options,
      );
    },
    list: async () =>
      filesIn(folder).flatMap((file) => {
        const content = readLock(file);
        if (content === undefined) return [];
        const { organizations, run } = content;
        return [
          {
            organizations,
            content,
            isAbandoned: isGone(content, machine),
            remove: async () => removeLock(file, run, options),
          },
        ];
      }),
  };
}

function isGone(content: LockContent, machine: LockMachine): boolean {
  return processState(content, machine) === 'gone';
}

function takeAll(
  takes: readonly (() => TakenFile | Busy)[],
  run: string,
  options: FileLockOptions,
): LockAttempt {
  const taken: TakenFile[] = [];
  const release = () => {
    for (const { file } of taken) removeLock(file, run, options);
  };
  try {
    for (const take of takes) {
      const one = take();
      if ('type' in one) {
        release();
        return one;
      }
      taken.push(one);
    }
  } catch (error) {
    release();
    throw error;
  }
  const isHeld = () => taken.every(({ file }) => readLock(file)?.run === run);
  return {
    type: 'held',
    lock: heldLock(isHeld, release, options.now),
    takenOver: taken.flatMap(({ takenOver }) => takenOver),
  };
}

function take(file: string, content: LockContent, options: FileLockOptions): TakenFile | Busy {
  for (;;) {
    const former = readLock(file);
    if (former === undefined) {
      if (createLock(file, content)) return { file, takenOver: [] };
    } else if (!isGone(former, options.machine)) return busyWith(content, former);
    else if (removeLock(file, former.run, options, content))
      return { file, takenOver: [{ run: former.run, because: 'whose process has ended' }] };
  }
}

function heldLock(isHeld: () => boolean, release: () => void, now: () => number): HeldLock {
  let checkedAt = now();
  let lost: string | undefined;
  let isReleased = false;
  const releaseNow = () => {
    if (isReleased) return;
    isReleased = true;
    release();
  };
  return {
    lost: () => {
      if (isReleased || lost !== undefined || Math.abs(now() - checkedAt) < freshness) return lost;
      checkedAt = now();
      try {
        if (!isHeld()) lost = 'it was removed by octavo unlock, or by hand';
      } catch (error) {
        lost = messageOf(error);
      }
      return lost;
    },
    release: async () => {
      try {
        releaseNow();
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
    releaseNow,
  };
}

function busyWith({ organizations: [organization = ''] }: LockScope, holder: LockContent): Busy {
  return { type: 'busy', organization, holder };
}

/** Named by a hash, because addresses and organization ids are not valid file names. */
function fileOf(folder: string, { baseUrl, organizations }: LockScope): string {
  const text = [baseUrl, ...organizations].join('\n');
  return path.join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.json`);
}

function filesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
    return names.sort().map((name) => path.join(folder, name));
  } catch (error) {
    throw failure('read', folder, error);
  }
}

function createLock(file: string, content: LockContent): boolean {
  return createFile(file, `${stableStringify(content, 2)}\n`);
}

/** False if the lock no longer belongs to the run, or `next` came too late. */
function removeLock(file: string, run: string, options: FileLockOptions, next?: LockContent): boolean {
  const guard = file.replace(/json$/, 'guard');
  const { host, process } = options.machine;
  if (!soon(() => createFile(guard, stableStringify({ host, process })) || dropDeadGuard(guard, options))) {
    throw userError(
      'lock',
      `the lock ${file} is being changed by another run`,
      `make sure that no apply is running on this machine, then delete ${guard}`,
    );
  }
  try {
    if (readLock(file)?.run !== run) return false;
    rmSync(file);
    return next === undefined || createLock(file, next);
  } catch (error) {
    throw failure('remove', file, error);
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Removes the guard of a killed process. Its age decides if it does not name a process, or one on another machine. */
function dropDeadGuard(guard: string, { machine, now }: FileLockOptions): false {
  try {
    const text = readFileSync(guard, 'utf8');
    const state = text.endsWith('}') ? processState(JSON.parse(text), machine) : 'unknown';
    const isOld = now() - statSync(guard).mtimeMs > guardedFor;
    if (state === 'gone' || (state === 'unknown' && isOld)) rmSync(guard, { force: true });
  } catch {
    // The guard was removed or cannot be read; the next attempt decides.
  }
  return false;
}

function createFile(file: string, text: string): boolean {
  try {
    const handle = openSync(file, 'wx', 0o600);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw failure('create', file, error);
  }
}

function readLock(file: string): LockContent | undefined {
  // Its creator may still be writing.
  const content = soon(() => {
    try {
      return parseLock(readFileSync(file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
      throw failure('read', file, error);
    }
  });
  if (content === 'none') return undefined;
  if (content !== undefined) return content;
  throw userError(
    'lock',
    `the lock file ${file} is damaged`,
    'make sure that no apply is running on this machine, then delete the file',
  );
}

/** Returns the first truthy result. Waits up to half a second for another process. */
function soon<T>(attempt: () => T): T {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 100; ; tries -= 1) {
    const result = attempt();
    if (result || tries === 0) return result;
    Atomics.wait(sleeper, 0, 0, 5);
  }
}

function failure(what: string, file: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code === undefined) return error;
  return userError(
    'lock',
    `cannot ${what} the lock ${file}: ${reasonOf(error)}`,
    'set XDG_STATE_HOME to a folder on a local disk that can be written to, or pass --lock none',
  );
}

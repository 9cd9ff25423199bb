/**
 * Locks as files of one machine and user. A lock is the newest of a row of generations, `<key>.1.json`, `<key>.2.json`, …:
 * each is created with its content complete, and only by one process (link); the next one may be made when the newest was
 * released or its process is gone. So nobody ever removes a lock that may have changed hands.
 */
import { createHash } from 'node:crypto';
import { messageOf } from '../../util/user-error.ts';
import type {
  HeldLock,
  Lock,
  LockAttempt,
  LockContent,
  LockHolder,
  LockOnRecord,
  LockScope,
} from './lock.ts';
import { type Generation, LockFiles } from './lock-files.ts';
import { type LockMachine, processState } from './machine.ts';

/** What a file lock works with. */
export interface FileLockOptions {
  /** Where the files are. */
  readonly folder: string;
  readonly machine: LockMachine;
  readonly now: () => number;
}

/** Milliseconds for which a look at the file is believed. */
const freshness = 100;

/** A lock in a folder of this machine. */
export function fileLock({ folder, machine, now }: FileLockOptions): Lock {
  const files = new LockFiles(folder);
  const taker = new FileLockTaker(files, machine);
  return {
    interval: 250,
    acquire: async ({ organizations, baseUrl }, holder) => {
      const scopes = [...new Set(organizations)].sort().map((one) => ({ organizations: [one], baseUrl }));
      const attempt = taker.busy(scopes) ?? taker.takeAll(scopes, holder);
      if ('type' in attempt) return attempt;
      const { taken, takenOver } = attempt;
      return { type: 'held', lock: new HeldFileLock(files, taken, now), takenOver };
    },
    list: async () =>
      files.keys().flatMap((key): readonly LockOnRecord[] => {
        const found = files.newest(key);
        const content = found?.content;
        if (found === undefined || content === undefined) return [];
        const { organizations } = content;
        const isAbandoned = processState(content, machine) === 'gone';
        return [{ organizations, content, isAbandoned, remove: async () => files.release(found) }];
      }),
  };
}

/** A run whose lock was taken over. */
interface TakenOver {
  readonly run: string;
  readonly because: string;
}

/** Somebody has the lock of an organization. */
type Busy = Extract<LockAttempt, { type: 'busy' }>;

/** What was taken of the locks of several organizations. */
interface TakenFiles {
  readonly taken: readonly Generation[];
  readonly takenOver: readonly TakenOver[];
}

/** Takes locks. Each scope is one organization. */
class FileLockTaker {
  readonly #files: LockFiles;
  readonly #machine: LockMachine;

  constructor(files: LockFiles, machine: LockMachine) {
    this.#files = files;
    this.#machine = machine;
  }

  /** The first lock that somebody has. Looked for before any is taken: who only waits never holds one of them. */
  busy(scopes: readonly LockScope[]): Busy | undefined {
    for (const scope of scopes) {
      const former = this.#files.newest(keyOf(scope))?.content;
      if (former !== undefined && processState(former, this.#machine) !== 'gone')
        return busyWith(scope, former);
    }
    return undefined;
  }

  /** Takes all, or none. */
  takeAll(scopes: readonly LockScope[], holder: LockHolder): TakenFiles | Busy {
    const taken: Generation[] = [];
    const takenOver: TakenOver[] = [];
    const release = () => {
      for (const generation of taken) this.#files.release(generation);
    };
    try {
      for (const scope of scopes) {
        const one = this.#take(scope, holder);
        if ('type' in one) {
          release();
          return one;
        }
        taken.push(one.generation);
        if (one.takenOver !== undefined) takenOver.push(one.takenOver);
      }
      return { taken, takenOver };
    } catch (error) {
      release();
      throw error;
    }
  }

  #take(
    scope: LockScope,
    holder: LockHolder,
  ): Busy | { readonly generation: Generation; readonly takenOver: TakenOver | undefined } {
    const key = keyOf(scope);
    const content: LockContent = { ...holder, ...scope };
    for (;;) {
      const newest = this.#files.newest(key);
      const former = newest?.content;
      if (former !== undefined && processState(former, this.#machine) !== 'gone')
        return busyWith(scope, former);
      const number = (newest?.number ?? 0) + 1;
      if (!this.#files.create(key, number, content)) continue;
      const takenOver = former && { run: former.run, because: 'whose process is gone' };
      return { generation: { key, number, content }, takenOver };
    }
  }
}

function busyWith({ organizations: [organization = ''] }: LockScope, holder: LockContent): Busy {
  return { type: 'busy', organization, holder };
}

/** Files are named by a hash: neither addresses nor ids of organizations are file names. */
function keyOf({ baseUrl, organizations }: LockScope): string {
  return createHash('sha256')
    .update([baseUrl, ...organizations].join('\n'))
    .digest('hex')
    .slice(0, 32);
}

/** Held until it is released, here or by octavo unlock. */
class HeldFileLock implements HeldLock {
  readonly #files: LockFiles;
  readonly #generations: readonly Generation[];
  readonly #now: () => number;
  #checkedAt: number;
  #lost: string | undefined;
  #isReleased = false;

  constructor(files: LockFiles, generations: readonly Generation[], now: () => number) {
    this.#files = files;
    this.#generations = generations;
    this.#now = now;
    this.#checkedAt = now();
  }

  readonly lost = (): string | undefined => {
    const now = this.#now();
    if (this.#isReleased || this.#lost !== undefined || Math.abs(now - this.#checkedAt) < freshness)
      return this.#lost;
    this.#checkedAt = now;
    try {
      const isHeld = this.#generations.every((one) => this.#files.isCurrent(one));
      if (!isHeld) this.#lost = 'it was removed by octavo unlock, or by hand';
    } catch (error) {
      this.#lost = messageOf(error);
    }
    return this.#lost;
  };

  readonly release = async (): Promise<string | undefined> => {
    try {
      this.releaseNow();
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };

  readonly releaseNow = (): void => {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const generation of this.#generations) this.#files.release(generation);
  };
}

/**
 * Locks as refs of a git remote, for any number of machines without a separate server. A lock is a lease: its holder renews it,
 * and other runs may take it if it was not renewed for its duration. Runs do not trust clocks of other machines: a waiting run uses
 * its own clock to measure how long the ref has been unchanged.
 */
import { createHash } from 'node:crypto';
import { onGitError } from '../../manifest/files/git.ts';
import { defined } from '../../util/defined.ts';
import { durationText } from '../../util/duration.ts';
import { push } from '../../util/group.ts';
import { stableStringify } from '../../util/json.ts';
import { greatest } from '../../util/lists.ts';
import { userError } from '../../util/user-error.ts';
import { type RemoteRef, untilSettled } from '../git/ref-store.ts';
import { refPart } from '../record/applied-record.ts';
import { HeldGitLock, type LockStore } from './git-lease.ts';
import {
  type Lock,
  type LockAttempt,
  type LockContent,
  type LockHolder,
  type LockOnRecord,
  type LockScope,
  lockFile,
  parseLock,
} from './lock.ts';

export interface GitLockOptions extends LockStore {
  readonly lease: number;
  readonly now: () => number;
}

/** Unit: milliseconds. */
const interval = 2000;

const prefix = 'refs/octavo/locks/';

interface Watch {
  readonly oid: string;
  readonly seenAt: number;
  /** Unit: milliseconds; a long gap between two reads, for example during sleep, counts little. */
  readonly same: number;
}

/** Depends on the service, too, because staging and production may have the same ids. */
export function lockRef(organization: string, baseUrl: string): string {
  const service = createHash('sha256').update(baseUrl).digest('hex').slice(0, 12);
  return `${prefix}${refPart(organization)}/${service}`;
}

export function gitLock(options: GitLockOptions): Lock {
  const taker = new GitLockTaker(options);
  return {
    interval,
    acquire: (scope, holder, signal) =>
      explained(
        options,
        untilSettled(() => taker.attempt(scope, holder), signal),
      ),
    list: () => explained(options, listLocks(options)),
  };
}

interface SeenRef extends RemoteRef {
  readonly organization: string;
  readonly content: LockContent;
  /** Remaining milliseconds until the lock may be taken. */
  readonly left: number;
}

class GitLockTaker {
  readonly #options: GitLockOptions;
  readonly #watched = new Map<string, Watch>();

  constructor(options: GitLockOptions) {
    this.#options = options;
  }

  /** Undefined if a ref was taken, renewed or released in between. */
  async attempt(scope: LockScope, holder: LockHolder): Promise<LockAttempt | undefined> {
    const organizations = [...new Set(scope.organizations)].sort();
    const refs = new Map(organizations.map((one) => [lockRef(one, scope.baseUrl), one]));
    const seen = await this.#readRefs(refs);
    if (seen === undefined) return undefined;
    const busy = seen.filter(({ left }) => left > 0);
    const [first] = busy;
    if (first !== undefined) {
      const { organization, content } = first;
      return {
        type: 'busy',
        organization,
        holder: content,
        ...defined({ abandonedIn: this.#suspected(busy) }),
      };
    }
    const former = new Map(seen.map(({ ref, oid }) => [ref, oid]));
    const from = new Map([...refs.keys()].map((ref) => [ref, former.get(ref)]));
    const lock = await this.#take(from, { ...scope, organizations }, holder);
    if (lock === undefined) return undefined;
    const runs = new Map(seen.map(({ content }) => [content.run, content]));
    const takenOver = [...runs].map(([run, content]) => ({
      run,
      because: `which did not renew it for ${durationText(leaseOf(content))}`,
    }));
    return { type: 'held', lock, takenOver };
  }

  async #readRefs(refs: ReadonlyMap<string, string>): Promise<readonly SeenRef[] | undefined> {
    const oids = await this.#options.store.there(this.#options.remote, [...refs.keys()]);
    const seen: SeenRef[] = [];
    for (const [ref, organization] of refs) {
      const oid = oids.get(ref);
      if (oid === undefined) continue;
      const content = await contentOf(this.#options, { ref, oid });
      if (content === undefined) return undefined;
      seen.push({ ref, oid, organization, content, left: this.#left(ref, oid, content) });
    }
    return seen;
  }

  async #take(
    from: ReadonlyMap<string, string | undefined>,
    scope: LockScope,
    holder: LockHolder,
  ): Promise<HeldGitLock | undefined> {
    const { store, remote, lease, now } = this.#options;
    const at = now();
    const content: LockContent = { ...holder, ...scope, lease: lease / 1000 };
    const text = `${stableStringify(content, 2)}\n`;
    const oid = await store.write({ file: lockFile, text, message: 'Lock', time: holder.since });
    if (!(await store.change(remote, { from, to: oid }))) return undefined;
    return new HeldGitLock({ ...this.#options, refs: [...from.keys()], content, taken: { oid, at } });
  }

  #left(ref: string, oid: string, content: LockContent): number {
    const before = this.#watched.get(ref);
    const seenAt = this.#options.now();
    const gap = before === undefined ? 0 : Math.min(Math.max(0, seenAt - before.seenAt), 5 * interval);
    const same = before?.oid === oid ? before.same + gap : 0;
    this.#watched.set(ref, { oid, seenAt, same });
    return leaseOf(content) - same;
  }

  /** The remaining time if all locks, by the clocks of their machines, should have been renewed long ago. */
  #suspected(busy: readonly SeenRef[]): number | undefined {
    const now = this.#options.now();
    const areOld = busy.every(({ content }) => {
      const latest = Date.parse(content.renewed ?? content.since);
      return now - latest > 2 * leaseOf(content);
    });
    return areOld ? greatest(busy.map(({ left }) => left)) : undefined;
  }
}

/** Limits the milliseconds, because the content comes from other runs. */
function leaseOf({ lease = 60 }: Pick<LockContent, 'lease'>): number {
  return Math.min(Math.max(lease, 1), 3600) * 1000;
}

async function contentOf(options: GitLockOptions, at: RemoteRef): Promise<LockContent | undefined> {
  const { store, remote } = options;
  const text = await store.readThere(remote, at, lockFile);
  if (text === undefined && (await store.there(remote, [at.ref])).get(at.ref) !== at.oid) return undefined;
  const content = text === undefined ? undefined : parseLock(text);
  if (content !== undefined) return content;
  throw userError(
    'lock',
    `the ref ${at.ref} of ${remote} holds no lock that this version can read`,
    `make sure that no apply is running, then delete it: git push ${remote} :${at.ref}`,
  );
}

/** Groups refs into one lock per run: all its refs point to the same commit. */
async function listLocks(options: GitLockOptions): Promise<readonly LockOnRecord[]> {
  const byCommit = new Map<string, RemoteRef[]>();
  for (const [ref, oid] of await options.store.there(options.remote, [prefix]))
    push(byCommit, oid, { ref, oid });
  const locks: LockOnRecord[] = [];
  for (const own of byCommit.values()) {
    const [first] = own;
    const content = first && (await contentOf(options, first));
    if (content === undefined) continue;
    const refs = new Set(own.map(({ ref }) => ref));
    const organizations = content.organizations.filter((one) => refs.has(lockRef(one, content.baseUrl)));
    locks.push({
      organizations,
      content,
      isAbandoned: false,
      remove: () => explained(options, removeRefs(options, [...refs], content)),
    });
  }
  return locks;
}

/** False also if the lock was renewed in between. */
async function removeRefs(
  options: GitLockOptions,
  refs: readonly string[],
  { run }: LockContent,
): Promise<boolean> {
  return untilSettled(async () => {
    const from = new Map<string, string>();
    for (const [ref, oid] of await options.store.there(options.remote, refs)) {
      if ((await contentOf(options, { ref, oid }))?.run === run) from.set(ref, oid);
    }
    if (from.size === 0) return false;
    return (await options.store.change(options.remote, { from, to: undefined })) || undefined;
  });
}

function explained<T>({ remote }: GitLockOptions, work: Promise<T>): Promise<T> {
  const explain = onGitError(({ message }) => {
    throw userError(
      'lock',
      `the lock in the git remote ${remote} cannot be read or written: ${message}`,
      'check that git can push to it without asking; --lock none works without a lock',
    );
  });
  return work.catch(explain);
}

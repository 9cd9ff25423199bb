/**
 * Locks as refs: of this repository, which its work trees share, and also of a remote if several machines apply. In a remote, a
 * lock is a lease: its holder renews it, and other runs may take it if it was not renewed for its duration. Runs do not trust clocks
 * of other machines: a waiting run uses its own clock to measure how long the ref has been unchanged.
 */
import { createHash } from 'node:crypto';
import { onGitError } from '../../manifest/files/repository.ts';
import { defined } from '../../util/defined.ts';
import { durationText } from '../../util/duration.ts';
import { grouped } from '../../util/group.ts';
import { append, greatest } from '../../util/lists.ts';
import { userError } from '../../util/user-error.ts';
import { refPart } from '../record/applied-record.ts';
import type { HeldLock, Lock, LockAttempt, LockHolder, LockOnRecord, LockScope } from './lock.ts';
import { intervals, leaseOf, type RefLockOptions, RefPlace, type SeenRef } from './ref-place.ts';

const prefix = 'refs/octavo/locks/';

/** Depends on the service, too, because staging and production may have the same ids. */
export function lockRef(organization: string, baseUrl: string): string {
  const service = createHash('sha256').update(baseUrl).digest('hex').slice(0, 12);
  return `${prefix}${refPart(organization)}/${service}`;
}

export function refLock(options: RefLockOptions): Lock {
  const { remote, now } = options;
  const where = remote === undefined ? 'this repository' : `this repository and ${remote}`;
  // A run with a remote and one without see each other in the repository.
  const here = new RefPlace(options, undefined);
  const places = remote === undefined ? [here] : [here, new RefPlace(options, remote)];
  const explained = <T>(work: Promise<T>) =>
    work.catch(
      onGitError(({ message }) => {
        throw userError(
          'lock',
          `the lock in ${where} cannot be read or written: ${message}`,
          'check that git can write there without asking; --lock none works without a lock',
        );
      }),
    );
  const acquire: Lock['acquire'] = (scope, holder, signal) =>
    explained(options.store.untilSettled(() => attempt(places, scope, holder, now), signal));
  const list = async () => {
    const locks = await explained(listLocks(places));
    return locks.map((lock) => ({ ...lock, remove: () => explained(lock.remove()) }));
  };
  return { acquire, list, where, interval: remote === undefined ? intervals.here : intervals.there };
}

/** Undefined if a ref was taken, renewed or released in between. Looks everywhere before it takes anything. */
async function attempt(
  places: readonly RefPlace[],
  { organizations, baseUrl }: LockScope,
  holder: LockHolder,
  now: () => number,
): Promise<LockAttempt | undefined> {
  const sorted = [...new Set(organizations)].sort();
  const byRef = new Map(sorted.map((one) => [lockRef(one, baseUrl), one]));
  const refs = [...byRef.keys()];
  const content = { ...holder, organizations: sorted, baseUrl };
  const found: (readonly SeenRef[])[] = [];
  for (const place of places) {
    const seen = await place.look(refs);
    if (seen === undefined) return undefined;
    const busy = seen.filter(({ left }) => left > 0);
    const [first] = busy;
    if (first !== undefined) {
      const organization = byRef.get(first.ref) ?? '';
      const abandonedIn = suspected(busy, now());
      return { type: 'busy', organization, holder: first.content, ...defined({ abandonedIn }) };
    }
    found.push(seen);
  }
  const held: HeldLock[] = [];
  const release = async () => {
    const problems: string[] = [];
    for (const one of [...held].reverse()) problems.push((await one.release()) ?? '');
    return problems.find((problem) => problem !== '');
  };
  try {
    for (const [at, place] of places.entries()) {
      const lock = await place.take(refs, found[at] ?? [], content);
      if (lock === undefined) return undefined;
      held.push(lock);
    }
  } finally {
    if (held.length < places.length) await release();
  }
  const lost = () => held.map((one) => one.lost()).find((reason) => reason !== undefined);
  const former = new Map(found.flat().map((one) => [one.content.run, one]));
  const takenOver = [...former].map(([run, one]) => ({ run, because: reasonFor(one) }));
  return { type: 'held', lock: { lost, release }, takenOver };
}

function reasonFor({ isGone, content }: SeenRef): string {
  return isGone ? 'whose process has ended' : `which did not renew it for ${durationText(leaseOf(content))}`;
}

/** The remaining time if all locks, by the clocks of their machines, should have been renewed long ago. */
function suspected(busy: readonly SeenRef[], now: number): number | undefined {
  const areOld = busy.every(({ content }) => {
    const latest = Date.parse(content.renewed ?? content.since);
    return now - latest > 2 * leaseOf(content);
  });
  return areOld ? greatest(busy.map(({ left }) => left)) : undefined;
}

/** One lock per run, with its refs in all places. */
async function listLocks(places: readonly RefPlace[]): Promise<readonly LockOnRecord[]> {
  const found: SeenRef[] = [];
  for (const place of places) append(found, await place.store.untilSettled(() => place.look([prefix])));
  return [...grouped(found, ({ content }) => content.run)].flatMap(([run, own]) => {
    const [{ content }] = own;
    const refs = [...new Set(own.map(({ ref }) => ref))];
    const remove = async () => {
      const removed: boolean[] = [];
      for (const place of places) removed.push(await place.remove(refs, run));
      return removed.includes(true);
    };
    const organizations = content.organizations.filter((one) => refs.includes(lockRef(one, content.baseUrl)));
    return { organizations, content, isAbandoned: own.some(({ isGone }) => isGone), remove };
  });
}

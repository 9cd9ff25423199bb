/** The refs of locks in one place: this repository, or a remote. All refs of a run point to the same commit. */
import { durationText } from '../../util/duration.ts';
import { stableStringify } from '../../util/json.ts';
import { messageOf, userError } from '../../util/user-error.ts';
import type { RefStore, RemoteRef, Tries } from '../git/ref-store.ts';
import { type HeldLock, type LockContent, lockFile, parseLock } from './lock.ts';
import { type LockMachine, processState } from './machine.ts';

export interface RefLockOptions {
  readonly store: RefStore;
  readonly remote?: string | undefined;
  /** Unit: milliseconds. */
  readonly lease: number;
  readonly machine: LockMachine;
  readonly now: () => number;
}

/** Milliseconds between two attempts of a waiting run. */
export const intervals = { here: 250, there: 2000 };

/** Milliseconds between two checks of a held lock without a lease. */
const checkInterval = 1000;

export interface SeenRef extends RemoteRef {
  readonly content: LockContent;
  /** The process of the holder has ended. */
  readonly isGone: boolean;
  /** Remaining milliseconds until another run may take the lock. */
  readonly left: number;
}

export class RefPlace {
  readonly #options: RefLockOptions;
  readonly #remote: string | undefined;
  /** `same`: how long, in milliseconds; a long gap between two reads, for example during sleep, counts little. */
  readonly #watched = new Map<
    string,
    { readonly oid: string; readonly seenAt: number; readonly same: number }
  >();
  readonly #contents = new Map<string, LockContent>();

  /** `remote`: undefined for this repository. */
  constructor(options: RefLockOptions, remote: string | undefined) {
    this.#options = options;
    this.#remote = remote;
  }

  get store(): RefStore {
    return this.#options.store;
  }

  /** `names`: refs, or folders of them. Undefined if a ref moves in the meantime. */
  async look(names: readonly string[], tries: Tries = {}): Promise<readonly SeenRef[] | undefined> {
    const seen: SeenRef[] = [];
    for (const [ref, oid] of await this.store.there(this.#remote, names, tries)) {
      const content = await this.#contentOf({ ref, oid });
      if (content === undefined) return undefined;
      const isGone = this.#isGone(content);
      seen.push({ ref, oid, content, isGone, left: isGone ? 0 : this.#left(ref, oid, content) });
    }
    return seen;
  }

  /** Undefined if a ref is not as it was seen. */
  async take(
    refs: readonly string[],
    seen: readonly SeenRef[],
    holding: LockContent,
  ): Promise<HeldLock | undefined> {
    const { now, lease } = this.#options;
    const at = now();
    const content = this.#remote === undefined ? holding : { ...holding, lease: lease / 1000 };
    if (!(await this.move(refs, seen, content))) return undefined;
    return held({ place: this, refs, content, now }, at);
  }

  async move(
    refs: readonly string[],
    seen: readonly SeenRef[],
    content: LockContent,
    tries: Tries = {},
  ): Promise<boolean> {
    const text = `${stableStringify(content, 2)}\n`;
    const time = content.renewed ?? content.since;
    const to = await this.store.write({ file: lockFile, text, message: 'Lock', time });
    this.#contents.set(to, content);
    const oids = new Map(seen.map(({ ref, oid }) => [ref, oid]));
    const from = new Map(refs.map((ref) => [ref, oids.get(ref)]));
    return this.store.change(this.#remote, { from, to, ...tries });
  }

  /** False if the run does not have the lock. */
  remove(refs: readonly string[], run: string): Promise<boolean> {
    return this.store.untilSettled(async () => {
      const seen = await this.look(refs);
      const own = seen?.filter(({ content }) => content.run === run);
      if (own === undefined || own.length === 0) return own && false;
      const from = new Map(own.map(({ ref, oid }) => [ref, oid]));
      return (await this.store.change(this.#remote, { from, to: undefined })) || undefined;
    });
  }

  /** Of several machines with one name and id, such as runners of one image, each has its own boot id. */
  #isGone({ host, process: holder }: LockContent): boolean {
    const { machine } = this.#options;
    const { process: own } = machine;
    const isHere = this.#remote === undefined || (own.boot !== undefined && own.boot === holder.boot);
    return isHere && processState({ host, process: holder }, machine) === 'gone';
  }

  #left(ref: string, oid: string, content: LockContent): number {
    const before = this.#watched.get(ref);
    const seenAt = this.#options.now();
    const gap = before === undefined ? 0 : Math.min(Math.max(0, seenAt - before.seenAt), 5 * intervals.there);
    const same = before?.oid === oid ? before.same + gap : 0;
    this.#watched.set(ref, { oid, seenAt, same });
    return leaseOf(content) - same;
  }

  /** Undefined if the ref has moved. */
  async #contentOf(at: RemoteRef): Promise<LockContent | undefined> {
    const remote = this.#remote;
    const known = this.#contents.get(at.oid);
    if (known !== undefined) return known;
    const text = await this.store.readThere(remote, at, lockFile);
    if (text === undefined && (await this.store.there(remote, [at.ref])).get(at.ref) !== at.oid)
      return undefined;
    const content = text === undefined ? undefined : parseLock(text);
    if (content === undefined) {
      const command = remote === undefined ? `git update-ref -d ${at.ref}` : `git push ${remote} :${at.ref}`;
      throw userError(
        'lock',
        `the ref ${at.ref} of ${remote ?? 'this repository'} holds no lock that this version can read`,
        `make sure that no apply is running, then delete it: ${command}`,
      );
    }
    this.#contents.set(at.oid, content);
    return content;
  }
}

/** Limits the milliseconds, because the content comes from other runs. A lock without a lease is kept until it is released. */
export function leaseOf({ lease }: Pick<LockContent, 'lease'>): number {
  return lease === undefined ? Number.POSITIVE_INFINITY : Math.min(Math.max(lease, 1), 3600) * 1000;
}

interface TakenRefs {
  readonly place: RefPlace;
  readonly refs: readonly string[];
  readonly content: LockContent;
  readonly now: () => number;
}

/** Checks or renews the refs on time: they are lost if another run changes them. `at`: time before they were taken. */
function held({ place, refs, content, now }: TakenRefs, at: number): HeldLock {
  const lease = leaseOf(content);
  const hasLease = content.lease !== undefined;
  // A renewal that fails is repeated soon.
  const tries = hasLease ? { attempts: 1 } : {};
  let renewedAt = at;
  let problem = '';
  let because: string | undefined;
  let isReleased = false;
  let timer: NodeJS.Timeout | undefined;
  let renewal: Promise<void> = Promise.resolve();

  /** Returns why the lock is lost, or an empty text; undefined if a ref moves in the meantime. */
  const check = async (time: number) => {
    const seen = await place.look(refs, tries);
    if (seen === undefined) return undefined;
    if (seen.length < refs.length) return 'it was removed by octavo unlock, or by hand';
    // A lost response may have moved the refs to any commit of this run.
    if (seen.some((one) => one.content.run !== content.run)) return 'another run took it over';
    const renewed = { ...content, renewed: new Date(time).toISOString() };
    return !hasLease || (await place.move(refs, seen, renewed, tries)) ? '' : undefined;
  };
  const lost = () => {
    // The last fifth of the lease is reserved for requests in flight; after that, others may take the lock.
    if (because === undefined && !isReleased && now() - renewedAt > lease * 0.8) {
      const why = problem === '' ? '' : `: ${problem}`;
      because = `it could not be renewed in time (its lease is ${durationText(lease)})${why}`;
    }
    return because;
  };
  const renew = async () => {
    const time = now();
    try {
      const reason = await place.store.untilSettled(() => check(time));
      if (reason === '') renewedAt = time;
      else because ??= reason;
      problem = '';
    } catch (error) {
      problem = messageOf(error);
      if (!hasLease) because = problem;
    }
    if (!isReleased && lost() === undefined) schedule();
  };
  const schedule = () => {
    const wait = hasLease ? lease / (problem === '' ? 3 : 12) : checkInterval;
    timer = setTimeout(() => {
      renewal = renew();
    }, wait);
    // The lock must not keep the process alive.
    timer.unref();
  };
  schedule();
  return {
    lost,
    release: async () => {
      isReleased = true;
      clearTimeout(timer);
      await renewal;
      return place.remove(refs, content.run).then(() => undefined, messageOf);
    },
  };
}

/** A held lock in a git remote: renewed on time, lost if that fails for too long, removed at the end. */
import { durationText } from '../../util/duration.ts';
import { stableStringify } from '../../util/json.ts';
import { messageOf } from '../../util/user-error.ts';
import { type RefChange, type RefStore, untilSettled } from '../git/ref-store.ts';
import { type HeldLock, type LockContent, lockFile } from './lock.ts';

export interface LockStore {
  readonly store: RefStore;
  readonly remote: string;
}

export interface TakenGitLock extends LockStore {
  /** One ref for each organization; all point to the same commit. */
  readonly refs: readonly string[];
  readonly content: LockContent;
  /** Unit: milliseconds. */
  readonly lease: number;
  readonly now: () => number;
  readonly taken: { readonly oid: string; readonly at: number };
}

export class HeldGitLock implements HeldLock {
  readonly #lock: TakenGitLock;
  #oid: string;
  /** Commits of this run: a lost response may have moved the refs to any of them. */
  readonly #own: Set<string>;
  #renewedAt: number;
  #problem = '';
  #lost: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> = Promise.resolve();
  #isReleased = false;

  constructor(lock: TakenGitLock) {
    const { taken } = lock;
    this.#lock = lock;
    this.#oid = taken.oid;
    this.#own = new Set([taken.oid]);
    this.#renewedAt = taken.at;
    this.#schedule(lock.lease / 3);
  }

  readonly lost = (): string | undefined => {
    const { lease, now } = this.#lock;
    // The last fifth of the lease is reserved for requests in flight; after that, others may take the lock.
    if (this.#lost === undefined && !this.#isReleased && now() - this.#renewedAt > lease * 0.8) {
      const why = this.#problem === '' ? '' : `: ${this.#problem}`;
      this.#lost = `it could not be renewed in time (its lease is ${durationText(lease)})${why}`;
    }
    return this.#lost;
  };

  readonly release = async (): Promise<string | undefined> => {
    this.releaseNow();
    await this.#renewal;
    const { store, remote, refs } = this.#lock;
    try {
      await untilSettled(async () => {
        const now = await store.there(remote, refs);
        const from = new Map([...now].filter(([, oid]) => this.#own.has(oid)));
        return from.size === 0 || (await store.change(remote, { from, to: undefined })) || undefined;
      });
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };

  readonly releaseNow = (): void => {
    this.#isReleased = true;
    clearTimeout(this.#timer);
  };

  #schedule(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      this.#renewal = this.#renew();
    }, milliseconds);
    // The lock must not keep the process alive.
    this.#timer.unref();
  }

  async #renew(): Promise<void> {
    const { store, lease, now, content } = this.#lock;
    const at = now();
    try {
      const renewed = new Date(at).toISOString();
      const text = `${stableStringify({ ...content, renewed }, 2)}\n`;
      const to = await store.write({ file: lockFile, text, message: 'Lock', time: renewed });
      const other = await this.#move(to, { attempts: 1 });
      if (other === undefined) {
        this.#renewedAt = at;
        this.#problem = '';
      } else this.#lost = other;
    } catch (error) {
      this.#problem = messageOf(error);
    }
    if (!this.#isReleased && this.lost() === undefined)
      this.#schedule(this.#problem === '' ? lease / 3 : lease / 12);
  }

  /** Returns the new owner if a ref is not that of this run. */
  async #move(to: string, tries: Pick<RefChange, 'attempts'>): Promise<string | undefined> {
    const { store, remote, refs } = this.#lock;
    this.#own.add(to);
    const whose = await untilSettled(async () => {
      const from = new Map(refs.map((ref) => [ref, this.#oid]));
      if (await store.change(remote, { from, to, ...tries })) return '';
      const now = await store.there(remote, refs);
      const oids = refs.map((ref) => now.get(ref));
      if (oids.includes(undefined)) return 'it was removed by octavo unlock, or by hand';
      const [first = ''] = oids;
      if (!oids.every((oid) => oid === first && this.#own.has(oid))) return 'another run took it over';
      this.#oid = first;
      return undefined;
    });
    if (whose !== '') return whose;
    this.#oid = to;
    return undefined;
  }
}

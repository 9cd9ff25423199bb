/** Takes the lock of a run on all its organizations, and waits for their holders. Holds no lock while waiting. */
import type { Lock, LockAttempt, LockContent, LockHolder, LockScope } from './lock.ts';

export interface LockRequest {
  readonly lock: Lock;
  readonly holder: LockHolder;
  readonly scope: LockScope;
  readonly timeout: number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onWait?: ((wait: LockWait) => void) | undefined;
}

export interface LockWait {
  readonly organization: string;
  readonly holder: LockContent;
  /** Remaining milliseconds until it gives up. */
  readonly left: number;
  /** The holder seems to be dead: its lock is watched until the lease has ended. */
  readonly isAbandoned: boolean;
}

export type TakenLock =
  | Extract<LockAttempt, { type: 'held' }>
  | (Pick<LockWait, 'organization' | 'holder'> & { readonly type: 'busy'; readonly waited: number });

/** All organizations, or none. Throws the reason of the signal if it ends the waiting. */
export async function takeLock(request: LockRequest): Promise<TakenLock> {
  const { lock, holder, scope, timeout, now, sleep, signal } = request;
  const started = now();
  let watchUntil: number | undefined;
  const aborted = new Promise<never>((_, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);
  for (;;) {
    signal.throwIfAborted();
    const attempting = lock.acquire(scope, holder, signal);
    const attempt = await Promise.race([attempting, aborted]).catch((error: unknown) => {
      // The attempt may still take the lock after the signal.
      void attempting.then(
        (late) => (late.type === 'held' ? late.lock.release() : undefined),
        () => undefined,
      );
      throw error;
    });
    if (attempt.type === 'held') return attempt;
    const { organization, abandonedIn } = attempt;
    if (abandonedIn === undefined) watchUntil = undefined;
    else watchUntil ??= now() + 2 * abandonedIn;
    const left = Math.max(started + timeout, watchUntil ?? 0) - now();
    if (left <= 0) return { type: 'busy', organization, holder: attempt.holder, waited: now() - started };
    request.onWait?.({ organization, holder: attempt.holder, left, isAbandoned: watchUntil !== undefined });
    await sleep(Math.min(lock.interval, left), signal);
  }
}

/** Takes the lock of a run on all its organizations, and waits for their holders. Holds no lock while waiting. */
import type { HeldLock, Lock, LockContent, LockHolder, LockScope } from './lock.ts';

export interface LockRequest {
  readonly lock: Lock;
  readonly holder: LockHolder;
  readonly scope: LockScope;
  readonly timeout: number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onWait?: ((wait: LockWait) => void) | undefined;
  readonly onTakenOver?: ((taken: { readonly run: string; readonly because: string }) => void) | undefined;
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
  | { readonly type: 'held'; readonly lock: HeldLock }
  | (Pick<LockWait, 'organization' | 'holder'> & { readonly type: 'busy'; readonly waited: number });

/** All organizations, or none. Throws the reason of the signal if it ends the waiting. */
export async function takeLock(request: LockRequest): Promise<TakenLock> {
  const { lock, holder, scope, timeout, now, sleep, signal } = request;
  const started = now();
  let watchUntil: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const attempt = await unlessAborted(lock.acquire(scope, holder, signal), signal);
    if (attempt.type === 'held') {
      for (const taken of attempt.takenOver) request.onTakenOver?.(taken);
      return { type: 'held', lock: attempt.lock };
    }
    const { organization, abandonedIn } = attempt;
    if (abandonedIn === undefined) watchUntil = undefined;
    else watchUntil ??= now() + 2 * abandonedIn;
    const left = Math.max(started + timeout, watchUntil ?? 0) - now();
    if (left <= 0) return { type: 'busy', organization, holder: attempt.holder, waited: now() - started };
    request.onWait?.({ organization, holder: attempt.holder, left, isAbandoned: watchUntil !== undefined });
    await sleep(Math.min(lock.interval, left), signal);
  }
}

/** Does not wait for an attempt after the signal; releases a lock that the attempt takes. */
async function unlessAborted<T extends { readonly type: string; readonly lock?: HeldLock }>(
  attempt: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, fail) => {
    stop = () => fail(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([attempt, aborted]);
  } catch (error) {
    void attempt.then(
      ({ lock }) => lock?.release(),
      () => undefined,
    );
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

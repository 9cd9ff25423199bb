/** Takes the lock of a run on all its organizations, and waits for those who hold it. Nothing is held while it waits. */
import type { HeldLock, Lock, LockContent, LockHolder, LockScope } from './lock.ts';

/** How to take a lock. */
export interface LockRequest {
  readonly lock: Lock;
  readonly holder: LockHolder;
  readonly scope: LockScope;
  /** Milliseconds to wait. */
  readonly timeout: number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Ends waiting at once. */
  readonly signal: AbortSignal;
  /** Called again and again while waiting. */
  readonly onWait?: ((wait: LockWait) => void) | undefined;
  /** Called for each run whose lock was taken over. */
  readonly onTakenOver?: ((taken: { readonly run: string; readonly because: string }) => void) | undefined;
}

/** What is waited for. */
export interface LockWait {
  /** The first organization that somebody else has. */
  readonly organization: string;
  readonly holder: LockContent;
  /** Milliseconds until it is given up. */
  readonly left: number;
  /** True where the holder seems to be gone: it is only watched until its lease has run out. */
  readonly isAbandoned: boolean;
}

/** The lock of this run; or who has it and was waited for in vain. */
export type TakenLock =
  | { readonly type: 'held'; readonly lock: HeldLock }
  | (Pick<LockWait, 'organization' | 'holder'> & { readonly type: 'busy'; readonly waited: number });

/** Takes the lock on all organizations, or on none. Throws the reason of the signal when it ends the waiting. */
export async function takeLock(request: LockRequest): Promise<TakenLock> {
  const { lock, holder, scope, timeout, now, sleep, signal } = request;
  const started = now();
  /** When a lock that seems to be abandoned can be taken over at the latest. */
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

/** Does not wait for an attempt after the signal; what it takes then is let go of. */
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

/** Why a run starts no more steps, although some have not run. */

/**
 * `interrupted`: by a person or a signal; `unavailable`: the service stopped answering or fails all writes; `token`: it does not accept
 * the token; `permission`: it forbids all writes; `other-writer`: an object of this run exists twice, so another run is active;
 * `journal`: the next request cannot be recorded; `lock`: another run may hold the lock.
 */
export interface StopReason {
  readonly type: 'interrupted' | 'unavailable' | 'token' | 'permission' | 'other-writer' | 'journal' | 'lock';
  /** A clause for people, without a final period. */
  readonly message: string;
}

/** Checked by every step of a run before it starts. The first reason wins. */
export class RunStop {
  readonly #outside: () => StopReason | undefined;
  #own: StopReason | undefined;

  constructor(outside: () => StopReason | undefined) {
    this.#outside = outside;
  }

  get reason(): StopReason | undefined {
    this.#own ??= this.#outside();
    return this.#own;
  }

  stop(reason: StopReason): void {
    if (this.reason === undefined) this.#own = reason;
  }
}

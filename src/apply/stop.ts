/** Why a run starts nothing new, although not all of its steps have run. */

/**
 * `interrupted`: by a person or a signal; `unavailable`: the service stopped answering, or accepts the token no longer;
 * `other-writer`: an object
 * of this run exists twice, so that another run is at work; `journal`: what would be sent cannot be written down before; `lock`: another run may have taken the lock.
 */
export interface StopReason {
  readonly type: 'interrupted' | 'unavailable' | 'other-writer' | 'journal' | 'lock';
  /** A clause for people, without a final period. */
  readonly message: string;
}

/** The one place where the steps of a run look before they start. The first reason counts. */
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

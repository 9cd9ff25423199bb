/** Why a run starts no more steps, although some have not run. */
import { ApiError, hasStatus } from '../contract/api.ts';
import { isFailed, type Outcome, type StopReason } from './events.ts';

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

/** Number of steps in a row that an outage made fail, after which the service is probed. After twice as many the run stops. */
const suspicious = 3;

/** Detects that no further request can succeed: the service rejects the token, or fails several steps in a row. */
export class ServiceWatch {
  readonly #probe: () => Promise<unknown>;
  readonly #stop: RunStop;
  #failures = 0;
  #isProbed = false;
  #forbidden = 0;
  #hasWritten = false;
  #probing: Promise<true> | undefined;

  constructor(probe: () => Promise<unknown>, stop: RunStop) {
    this.#probe = probe;
    this.#stop = stop;
  }

  ended(outcome: Outcome): void {
    if (outcome.type === 'done') {
      this.#hasWritten = true;
      this.#failures = 0;
      this.#isProbed = false;
    } else if (isFailed(outcome)) this.#failed(outcome.error);
  }

  #failed(error: Error): void {
    this.#failures = isOutage(error) ? this.#failures + 1 : 0;
    this.#forbidden = hasStatus(error, 403) ? this.#forbidden + 1 : 0;
    const { message } = error;
    if (hasStatus(error, 401)) this.#stop.stop({ type: 'token', message });
    // A token may lack the permission for one kind. If it has changed nothing, it probably lacks all.
    else if (this.#forbidden >= suspicious && !this.#hasWritten)
      this.#stop.stop({ type: 'permission', message });
    // Reads may still succeed.
    else if (this.#failures >= 2 * suspicious && this.#isProbed)
      this.#stop.stop({ type: 'unavailable', message });
  }

  /** Await this before a step starts. Undefined if the service seems healthy; otherwise one step at a time tries it. */
  doubt(): Promise<true> | undefined {
    if (this.#failures < suspicious || this.#stop.reason !== undefined) return undefined;
    if (this.#isProbed) return Promise.resolve(true);
    this.#probing ??= this.#ask().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #ask(): Promise<true> {
    try {
      await this.#probe();
    } catch (error) {
      if (isOutage(error)) this.#stop.stop({ type: 'unavailable', message: (error as Error).message });
    }
    this.#isProbed = true;
    return true;
  }
}

/** True for failures that do not depend on the request: the next request would probably fail too. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status, type } = error;
  if (status === undefined) return type === 'connection' || type === 'timeout';
  return status === 401 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

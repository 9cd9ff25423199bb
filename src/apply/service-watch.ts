/** Notices a service that stopped answering: after a few failures in a row it is asked something simple. */
import { ApiError } from '../contract/api.ts';
import type { Outcome } from './events.ts';
import type { RunStop } from './stop.ts';

/** Steps in a row, failed for want of a service, after which it is asked whether it is there. */
const suspicious = 3;

export class ServiceWatch {
  readonly #probe: () => Promise<unknown>;
  readonly #stop: RunStop;
  #failures = 0;
  #probing: Promise<void> | undefined;

  /** `probe`: a read that a healthy service answers. */
  constructor(probe: () => Promise<unknown>, stop: RunStop) {
    this.#probe = probe;
    this.#stop = stop;
  }

  ended(outcome: Outcome): void {
    if (outcome.type === 'failed') this.#failures = isOutage(outcome.error) ? this.#failures + 1 : 0;
    else if (outcome.type === 'done') this.#failures = 0;
  }

  /** To be awaited before a step starts; undefined without a doubt. */
  doubt(): Promise<void> | undefined {
    if (this.#failures < suspicious || this.#stop.reason !== undefined) return undefined;
    this.#probing ??= this.#ask().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #ask(): Promise<void> {
    try {
      await this.#probe();
    } catch (error) {
      if (isOutage(error)) {
        this.#stop.stop({ type: 'unavailable', message: (error as Error).message });
        return;
      }
    }
    this.#failures = 0;
  }
}

/** Failures that do not depend on the request: the next one would fail as well. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === undefined) return error.type === 'connection' || error.type === 'timeout';
  return [401, 429, 502, 503, 504].includes(error.status);
}

/** Detects a service that stopped answering: after a few failures in a row it sends a simple read. */
import { ApiError } from '../contract/api.ts';
import type { Outcome } from './events.ts';
import type { RunStop } from './stop.ts';

/** Number of steps in a row that an outage made fail, after which the service is probed. */
const suspicious = 3;

export class ServiceWatch {
  readonly #probe: () => Promise<unknown>;
  readonly #stop: RunStop;
  #failures = 0;
  #probing: Promise<void> | undefined;

  constructor(probe: () => Promise<unknown>, stop: RunStop) {
    this.#probe = probe;
    this.#stop = stop;
  }

  ended(outcome: Outcome): void {
    if (outcome.type === 'failed') this.#failures = isOutage(outcome.error) ? this.#failures + 1 : 0;
    else if (outcome.type === 'done') this.#failures = 0;
  }

  /** Await this before a step starts. Undefined if the service seems healthy. */
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

/** True for failures that do not depend on the request: the next request would fail too. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === undefined) return error.type === 'connection' || error.type === 'timeout';
  return [401, 429, 502, 503, 504].includes(error.status);
}

/** Sends one request until a response arrives, retrying is useless, or a limit is reached. The caller supplies the exchange. */
import type { ApiError } from '../contract/api.ts';
import type { Clock, Pacer, WindowReport } from './pacing.ts';
import type { PreparedRequest } from './request.ts';
import { apiError, finalError, type ResponseContext } from './response.ts';
import { type Fault, isWorthRetrying, pushbackOf, type RetryLimits, retryDelay } from './retry.ts';

interface ArrivedPart {
  readonly bytes?: number;
  readonly window?: WindowReport | undefined;
}

interface FailedAttempt extends ArrivedPart {
  readonly type: 'failed';
  readonly error: ApiError;
  readonly fault: Fault;
}

/** `read` checks the body later, so that other requests can be sent first. */
export type Arrival =
  | FailedAttempt
  | (ArrivedPart & { readonly type: 'unread'; readonly read: () => Promise<Attempt> });

export type Attempt =
  | FailedAttempt
  | (ArrivedPart & { readonly type: 'response'; readonly value: unknown; readonly status: number });

export interface SenderOptions {
  readonly clock: Clock;
  readonly pacer: Pacer;
  readonly limits: RetryLimits;
  readonly signal: AbortSignal;
  readonly stopping: AbortSignal;
  readonly address: string;
  readonly token: string;
}

export interface EndedAttempt {
  readonly ended: Attempt;
  readonly milliseconds: number;
  /** Unit: milliseconds. Absent if no further attempt follows. */
  readonly retryInMs?: number | undefined;
}

export interface SendWith {
  readonly exchange: (context: ResponseContext) => Promise<Arrival>;
  readonly ended: (context: ResponseContext, attempt: EndedAttempt) => void;
}

export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Returns the checked value of the response. Throws the ApiError of the last attempt. */
  async perform(request: PreparedRequest, { exchange, ended: emit }: SendWith): Promise<unknown> {
    const { clock, limits, signal, stopping, address, token } = this.#options;
    let mayHaveHappened = false;
    let failures = 0;
    let spent = 0;
    for (let attempt = 1; ; attempt += 1) {
      const context: ResponseContext = { request, attempt, address, token };
      const { arrival, milliseconds } = await this.#attempt(context, exchange, mayHaveHappened);
      const ended = arrival.type === 'unread' ? await arrival.read() : arrival;
      if (ended.type === 'response') {
        emit(context, { ended, milliseconds });
        return ended.value;
      }
      const { error, fault } = ended;
      mayHaveHappened ||= error.mayHaveHappened;
      if (fault.status !== 429) failures += 1;
      const delay = retryDelay(fault, attempt + 1, { limits, random: clock.random });
      spent += milliseconds + delay;
      const isWithin = failures < limits.attempts && spent <= limits.totalMs && !stopping.aborted;
      const again = isWithin && isWorthRetrying(fault, request);
      emit(context, { ended, milliseconds, retryInMs: again ? delay : undefined });
      if (again) await clock.sleep(delay, stopping);
      if (!again || (stopping.aborted && !signal.aborted))
        throw finalError(error, { context, fault, mayHaveHappened });
    }
  }

  async #attempt(
    context: ResponseContext,
    exchange: SendWith['exchange'],
    maybeEarlier: boolean,
  ): Promise<{ readonly arrival: Arrival; readonly milliseconds: number }> {
    const { clock, pacer, signal, stopping } = this.#options;
    const { id } = context.request;
    const isLate = stopping.aborted;
    // A request that already had its turn does not queue behind all others again.
    const startedAt = await pacer.enter(stopping, context.attempt > 1 ? 'first' : 'last', id);
    try {
      // A request that a running step still needs does not wait, one that waited is not sent.
      if (signal.aborted || (stopping.aborted && !isLate)) {
        const details = { type: 'cancelled', mayHaveHappened: maybeEarlier } as const;
        throw apiError(context, `${id} was interrupted before it was sent`, details);
      }
      const arrival = this.#learn(id, startedAt, await exchange(context));
      return { arrival, milliseconds: clock.now() - startedAt };
    } finally {
      pacer.leave();
    }
  }

  /** Adapts the pace. If a window with a known end rejects a request, only the wait until that end is learned. */
  #learn(id: string, startedAt: number, ended: Arrival): Arrival {
    const { clock, pacer, limits } = this.#options;
    const { window } = ended;
    const wait =
      window === undefined && ended.type === 'failed'
        ? undefined
        : pacer.windows.reported(id, window, { now: clock.now(), longest: limits.totalMs });
    const by = ended.type === 'failed' ? pushbackOf(ended.fault) : undefined;
    if (ended.type === 'failed' && by !== undefined) {
      const { retryAfterMs, retryAfterMs: pause = 0 } = ended.fault;
      if (window?.isRejection && retryAfterMs === undefined && wait !== undefined) {
        return { ...ended, fault: { ...ended.fault, retryAfterMs: wait } };
      }
      // If the pause is longer than a request may wait, each fails immediately with the requested delay.
      pacer.pushedBack(startedAt, { by, pause: pause <= limits.totalMs ? pause : 0 });
    } else if (ended.type === 'unread' || ended.fault.status !== undefined) pacer.succeeded(startedAt);
    return ended;
  }
}

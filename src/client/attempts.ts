/**
 * Sends one request as often as it takes: until a response comes, trying again is of no use, or the bounds are reached.
 * Knows no sockets: what makes an exchange is handed in.
 */
import type { ApiError } from '../contract/api.ts';
import type { Clock, Pacer } from './pacing.ts';
import type { PreparedRequest } from './request.ts';
import { apiError, finalError, type ResponseContext } from './response.ts';
import { type Fault, isWorthRetrying, pushbackOf, type RetryLimits, retryDelay } from './retry.ts';

/** How one attempt ended. */
export type Attempt =
  | {
      readonly type: 'response';
      readonly value: unknown;
      readonly status: number;
      /** Bytes of the response. */
      readonly bytes?: number;
    }
  | {
      readonly type: 'failed';
      readonly error: ApiError;
      readonly fault: Fault;
      readonly bytes?: number;
    };

/** What all requests to one service share. */
export interface SenderOptions {
  readonly clock: Clock;
  readonly pacer: Pacer;
  readonly limits: RetryLimits;
  /** Cancels waiting requests. */
  readonly signal: AbortSignal;
  /** The address that requests go to, for messages. */
  readonly address: string;
  readonly token: string;
}

/** An attempt that ended. */
export interface EndedAttempt {
  readonly ended: Attempt;
  readonly milliseconds: number;
  /** Milliseconds until the next one, where there is one. */
  readonly retryInMs?: number | undefined;
}

/** Sends one attempt, and listens to how each attempt ended. */
export interface SendWith {
  readonly exchange: (context: ResponseContext) => Promise<Attempt>;
  readonly ended: (context: ResponseContext, attempt: EndedAttempt) => void;
}

/** Sends requests to one service, at a pace that it bears. */
export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** The checked value of the response. Throws the ApiError of the last attempt. */
  async perform(request: PreparedRequest, { exchange, ended: tell }: SendWith): Promise<unknown> {
    const { clock, limits, signal, address, token } = this.#options;
    let mayHaveHappened = false;
    /** Attempts that count. */
    let failures = 0;
    let spent = 0;
    for (let attempt = 1; ; attempt += 1) {
      const context: ResponseContext = { request, attempt, address, token };
      const { ended, milliseconds } = await this.#attempt(context, exchange, mayHaveHappened);
      if (ended.type === 'response') {
        tell(context, { ended, milliseconds });
        return ended.value;
      }
      const { error, fault } = ended;
      mayHaveHappened ||= error.mayHaveHappened;
      if (pushbackOf(fault) === undefined) failures += 1;
      const delay = retryDelay(fault, attempt + 1, { limits, random: clock.random });
      spent += milliseconds + delay;
      const again = isWorthRetrying(fault, request) && failures < limits.attempts && spent <= limits.totalMs;
      tell(context, { ended, milliseconds, retryInMs: again ? delay : undefined });
      if (!again) throw finalError(error, { context, fault, mayHaveHappened });
      await clock.sleep(delay, signal);
    }
  }

  async #attempt(
    context: ResponseContext,
    exchange: SendWith['exchange'],
    maybeEarlier: boolean,
  ): Promise<Pick<EndedAttempt, 'ended' | 'milliseconds'>> {
    const { clock, pacer, limits, signal } = this.#options;
    // Whoever had a turn before does not wait behind all others once more.
    const startedAt = await pacer.enter(signal, context.attempt > 1 ? 'first' : 'last');
    try {
      if (signal.aborted) {
        const details = { type: 'cancelled', mayHaveHappened: maybeEarlier } as const;
        throw apiError(context, `${context.request.id} was interrupted before it was sent`, details);
      }
      const ended = await exchange(context);
      const by = ended.type === 'failed' ? pushbackOf(ended.fault) : undefined;
      if (ended.type === 'failed' && by !== undefined) {
        const { retryAfterMs = 0 } = ended.fault;
        // A pause that no request can wait for is none: each fails at once, and says how long the service asks to wait.
        pacer.pushedBack(startedAt, { by, pause: retryAfterMs <= limits.totalMs ? retryAfterMs : 0 });
      } else if (ended.type === 'response' || ended.fault.status !== undefined) pacer.succeeded(startedAt);
      return { ended, milliseconds: clock.now() - startedAt };
    } finally {
      pacer.leave();
    }
  }
}

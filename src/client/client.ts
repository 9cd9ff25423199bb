/**
 * The client of the service: one generic `send` that checks what goes out and what comes in, repeats what may be repeated,
 * and follows the service's pace. It knows operations only through the contract.
 */
import { setMaxListeners } from 'node:events';
import { type Api, ApiError, type ApiInput } from '../contract/api.ts';
import {
  type OperationId,
  type OperationInput,
  type OperationOutput,
  operationOf,
} from '../contract/index.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import { parseBaseUrl, type ServiceAddress } from './base-url.ts';
import { checkToken } from './check-token.ts';
import { type Clock, Pacer } from './pacing.ts';
import { type PreparedRequest, prepareRequest } from './request.ts';
import {
  apiError,
  finalError,
  isSuccess,
  type ResponseContext,
  readBody,
  statusError,
  transportFailure,
} from './response.ts';
import {
  defaultRetryLimits,
  type Fault,
  isPushback,
  isWorthRetrying,
  parseRetryAfter,
  type RetryLimits,
  retryDelay,
} from './retry.ts';
import { type RawResponse, type Timeouts, Transport, TransportError } from './transport.ts';

/** What a client is made with. */
export interface ClientOptions {
  /** The address before `/v1`. */
  readonly baseUrl: string;
  readonly token: string;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly timeouts?: Partial<Timeouts>;
  /** Largest response that is read; 64 MiB by default. */
  readonly maxBodyBytes?: number;
  /** Requests in flight, at most; 8 by default. */
  readonly concurrency?: number;
  readonly retries?: Partial<RetryLimits>;
  /** Cancels the requests in flight and refuses later ones. */
  readonly signal?: AbortSignal;
  /** Allows plain http to other machines. */
  readonly allowHttp?: boolean;
  /** Address of an HTTP proxy between here and the service. */
  readonly proxy?: string;
  /** Called after each attempt. */
  readonly onRequest?: (event: RequestEvent) => void;
}

/** One attempt, for logs; holds nothing secret. */
export interface RequestEvent {
  readonly operation: OperationId;
  readonly method: string;
  readonly path: string;
  readonly attempt: number;
  readonly milliseconds: number;
  /** The status, or why there was none. */
  readonly outcome: number | string;
  /** Milliseconds until the next attempt, where there is one. */
  readonly retryInMs?: number;
}

/** Speaks to one service. */
export interface Client extends Api {
  /** Where requests go, as messages show it. */
  readonly address: string;
  send<Id extends OperationId>(
    operation: Id,
    input: ApiInput & OperationInput<Id>,
  ): Promise<OperationOutput<Id>>;
  /** The items of a paged operation as the pages come. */
  paged(operation: OperationId, input: ApiInput): AsyncGenerator<unknown, void, undefined>;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/** Objects per page: the most that the API gives (API document, "Limits"). */
const pageSize = 1000;

const defaultTimeouts: Timeouts = { connect: 10_000, headers: 60_000, body: 30_000, total: 180_000 };

/** Makes a client. Throws a DiagnosticError when the base URL or the token cannot be right. */
export function createClient(options: ClientOptions): Client {
  return new HttpClient(options);
}

/** How one attempt ended. */
type Attempt =
  | { readonly type: 'response'; readonly value: unknown; readonly status: number }
  | { readonly type: 'failed'; readonly error: ApiError; readonly fault: Fault };

class HttpClient implements Client {
  readonly #options: ClientOptions;
  readonly #address: ServiceAddress;
  readonly #limits: RetryLimits;
  readonly #pacer: Pacer;
  readonly #transport: Transport;
  readonly #signal: AbortSignal;

  constructor(options: ClientOptions) {
    checkToken(options.token);
    this.#options = options;
    this.#address = parseBaseUrl(options.baseUrl, { allowHttp: options.allowHttp ?? false });
    this.#limits = { ...defaultRetryLimits, ...options.retries };
    const concurrency = Math.max(1, options.concurrency ?? 8);
    this.#pacer = new Pacer(concurrency, options.clock);
    this.#signal = options.signal ?? new AbortController().signal;
    // Every request in flight listens; that is not a leak.
    setMaxListeners(0, this.#signal);
    this.#transport = new Transport({
      origin: this.#address.origin,
      connections: concurrency,
      timeouts: { ...defaultTimeouts, ...options.timeouts },
      maxBodyBytes: options.maxBodyBytes ?? 64 * 2 ** 20,
      ...defined({ proxy: options.proxy }),
    });
  }

  get address(): string {
    return this.#address.text;
  }

  async send<Id extends OperationId>(
    operation: Id,
    input: ApiInput & OperationInput<Id>,
  ): Promise<OperationOutput<Id>> {
    return (await this.#perform(prepareRequest(operation, input))) as OperationOutput<Id>;
  }

  async all(operation: OperationId, input: ApiInput): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    for await (const item of this.paged(operation, input)) items.push(item);
    return items;
  }

  async *paged(operation: OperationId, input: ApiInput): AsyncGenerator<unknown, void, undefined> {
    const { paged, method, path } = operationOf(operation);
    if (!paged) {
      yield* itemsOf(await this.#perform(prepareRequest(operation, input)));
      return;
    }
    const seen = new Set<string>();
    for (let page: string | undefined; ; ) {
      const query = { limit: pageSize, ...input.query, ...defined({ page }) };
      const response = await this.#perform(prepareRequest(operation, { ...input, query }));
      yield* itemsOf(response);
      const next = isRecord(response) && isRecord(response.next) ? response.next.page : undefined;
      if (typeof next !== 'string' || next === '') return;
      if (seen.has(next)) {
        throw new ApiError(`${operation}: pagination loop: page ${next} points back to a page already read`, {
          type: 'response',
          operation,
          method,
          path,
          attempt: 1,
          mayHaveHappened: false,
        });
      }
      seen.add(next);
      page = next;
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Sends until a response comes, trying again is of no use, or the bounds are reached. */
  async #perform(request: PreparedRequest): Promise<unknown> {
    const { clock } = this.#options;
    const started = clock.now();
    let mayHaveHappened = false;
    for (let attempt = 1; ; attempt += 1) {
      const context: ResponseContext = {
        request,
        attempt,
        address: this.#address.text,
        token: this.#options.token,
      };
      const { ended, milliseconds } = await this.#attempt(context, mayHaveHappened);
      if (ended.type === 'response') {
        this.#tell(context, milliseconds, ended.status);
        return ended.value;
      }
      const { error, fault } = ended;
      mayHaveHappened ||= error.mayHaveHappened;
      const delay = retryDelay(fault, attempt + 1, { limits: this.#limits, random: clock.random });
      const again =
        attempt < this.#limits.attempts &&
        isWorthRetrying(fault, request) &&
        clock.now() - started + delay <= this.#limits.totalMs;
      this.#tell(context, milliseconds, error.status ?? error.type, again ? delay : undefined);
      if (!again) throw finalError(error, { context, fault, mayHaveHappened });
      await clock.sleep(delay, this.#signal);
    }
  }

  /** One attempt, at a pace that the service bears. */
  async #attempt(
    context: ResponseContext,
    maybeEarlier: boolean,
  ): Promise<{ readonly ended: Attempt; readonly milliseconds: number }> {
    const { clock } = this.#options;
    const startedAt = await this.#pacer.enter(this.#signal);
    try {
      if (this.#signal.aborted) {
        const details = { type: 'cancelled', mayHaveHappened: maybeEarlier } as const;
        throw apiError(context, `${context.request.id} was interrupted before it was sent`, details);
      }
      const ended = await this.#exchange(context);
      if (ended.type === 'failed' && isPushback(ended.fault)) {
        this.#pacer.pushedBack(startedAt, Math.min(ended.fault.retryAfterMs ?? 0, this.#limits.totalMs));
      } else this.#pacer.succeeded();
      return { ended, milliseconds: clock.now() - startedAt };
    } finally {
      this.#pacer.leave();
    }
  }

  async #exchange(context: ResponseContext): Promise<Attempt> {
    const { request } = context;
    let response: RawResponse;
    try {
      response = await this.#transport.exchange({
        method: request.operation.method,
        target: `${this.#address.prefix}${request.target}`,
        headers: this.#headers(request),
        signal: this.#signal,
        ...defined({ body: request.body }),
      });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      return { type: 'failed', fault: error.fault, error: transportFailure(context, error) };
    }
    if (isSuccess(request, response.status)) {
      return settle(context, response);
    }
    const retryAfterMs = parseRetryAfter(response.header('retry-after'), this.#options.clock.now());
    const fault: Fault = { status: response.status, unsent: false, transient: false, retryAfterMs };
    return { type: 'failed', fault, error: statusError(context, response) };
  }

  #headers(request: PreparedRequest): Record<string, string> {
    return {
      authorization: `Bearer ${this.#options.token}`,
      'user-agent': this.#options.userAgent,
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    };
  }

  #tell(context: ResponseContext, milliseconds: number, outcome: number | string, retryInMs?: number): void {
    const { request, attempt } = context;
    this.#options.onRequest?.({
      operation: request.id,
      method: request.operation.method,
      path: request.path,
      attempt,
      milliseconds,
      outcome,
      ...defined({ retryInMs }),
    });
  }
}

/** A successful response, checked. What the contract does not know is a failure that trying again would only repeat. */
function settle(context: ResponseContext, response: RawResponse): Attempt {
  const { status } = response;
  try {
    return { type: 'response', status, value: status === 404 ? undefined : readBody(context, response) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { type: 'failed', error, fault: { unsent: false, transient: false } };
  }
}

function itemsOf(response: unknown): readonly unknown[] {
  if (Array.isArray(response)) return response;
  return isRecord(response) && Array.isArray(response.items) ? response.items : [];
}

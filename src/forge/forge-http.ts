/** Sends requests to the HTTP API of a forge. Retries if that does no harm, and not before the forge permits it. Knows no routes. */
import type { ServiceAddress } from '../client/base-url.ts';
import type { Clock } from '../client/pacing.ts';
import {
  defaultRetryLimits,
  type Fault,
  isWorthRetrying,
  parseRetryAfter,
  retryDelay,
} from '../client/retry.ts';
import { clean, serviceMessage } from '../client/service-message.ts';
import { type Exchanges, type RawResponse, Transport, TransportError } from '../client/transport.ts';
import { defined } from '../util/defined.ts';
import { isRecord, parsedJson, recordsIn } from '../util/json.ts';
import { ForgeError, recordOf } from './forge.ts';

export interface ForgeHttpOptions {
  readonly forge: 'GitHub' | 'GitLab';
  readonly address: ServiceAddress;
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string;
  readonly tokenName: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Once aborted, no request is retried. */
  readonly stopping: AbortSignal;
  readonly proxy?: string;
  readonly transport?: ((origin: string) => Exchanges) | undefined;
  /** Called with a log line after each attempt. */
  readonly onAttempt?: (line: string) => void;
}

export interface ForgeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** True if sending it twice creates two objects. */
  readonly creates?: boolean;
  readonly needs: string;
}

export interface ForgeResponse {
  readonly status: number;
  readonly value: unknown;
  readonly header: (name: string) => string | undefined;
}

const timeouts = { connect: 10_000, headers: 30_000, body: 30_000, total: 90_000 };
/** Unit: milliseconds. Wait after a rate limit that states no time. */
const slowDown = 60_000;
const mostRedirects = 3;

export class ForgeHttp {
  readonly #options: ForgeHttpOptions;
  readonly #transport: Exchanges;

  constructor(options: ForgeHttpOptions) {
    this.#options = options;
    const { address, proxy, transport } = options;
    this.#transport =
      transport?.(address.origin) ??
      new Transport({
        origin: address.origin,
        connections: 2,
        timeouts,
        maxBodyBytes: 32 * 2 ** 20,
        ...defined({ proxy }),
      });
  }

  async send(request: ForgeRequest): Promise<ForgeResponse> {
    const { clock, signal, stopping, onAttempt } = this.#options;
    const limits = defaultRetryLimits;
    let mayHaveHappened = false;
    let spent = 0;
    for (let attempt = 1; ; attempt += 1) {
      if (signal.aborted) throw interrupted();
      const ended = await this.#exchange(request);
      onAttempt?.(`${request.method} ${request.path} ${'fault' in ended ? ended.outcome : ended.status}`);
      if (!('fault' in ended)) return ended;
      const { fault } = ended;
      mayHaveHappened ||= ended.mayHaveHappened;
      const delay = retryDelay(fault, attempt + 1, { limits, random: clock.random });
      spent += delay;
      const repeatable = request.creates !== true;
      const isWithin = attempt < limits.attempts && spent <= limits.totalMs && !stopping.aborted;
      const again = isWithin && isWorthRetrying(fault, { repeatable });
      if (again) await clock.sleep(delay, stopping);
      if (!again || (stopping.aborted && !signal.aborted)) throw this.#error(ended, mayHaveHappened);
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #exchange(request: ForgeRequest): Promise<ForgeResponse | FailedRequest> {
    const isWrite = request.method !== 'GET';
    let response: RawResponse;
    try {
      response = await this.#follow(request);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      if (error.type === 'cancelled') throw interrupted();
      const { fault, message } = error;
      return { fault, outcome: error.type, mayHaveHappened: isWrite && !fault.unsent, message };
    }
    return this.#settle(request, response);
  }

  #settle(request: ForgeRequest, response: RawResponse): ForgeResponse | FailedRequest {
    const { header, body } = response;
    const value = parsedJson(body);
    const isGone = response.status === 200 && graphqlErrors(value).some(({ type }) => type === 'NOT_FOUND');
    const status = isGone ? 404 : response.status;
    const retryAfterMs = this.#limitOf(response, value);
    if (retryAfterMs !== undefined) {
      return {
        fault: { status: 429, unsent: false, transient: false, retryAfterMs },
        outcome: String(status),
        status: 429,
        mayHaveHappened: false,
        message: `${this.#options.forge} asks to slow down`,
      };
    }
    const isSuccess = status >= 200 && status < 300;
    const [first] = response.status === 200 ? graphqlErrors(value) : [];
    const problem = first && String(first.message ?? first.type ?? 'no reason given');
    const isReadable = value !== undefined || (body.trim() === '' && request.method === 'DELETE');
    if (isSuccess && problem === undefined && isReadable) return { value, header, status };
    return {
      fault: { status, unsent: false, transient: false, retryAfterMs: this.#retryAfter(response) },
      outcome: String(status),
      status,
      mayHaveHappened: request.method !== 'GET' && (status >= 500 || status === 408 || isSuccess),
      message: this.#problemOf(status, problem),
      ...defined({ said: problem ?? serviceMessage(body, [this.#options.token]) }),
      suggestion: this.#advice(status, problem, request),
    };
  }

  #problemOf(status: number, problem: string | undefined): string {
    const { forge, address } = this.#options;
    if (problem !== undefined) return `${forge} refused the query`;
    if (status >= 300) return `${forge} responded with ${status}`;
    return `${forge} did not respond with JSON (is ${address.text} its API?)`;
  }

  /** Follows redirects within the forge, for example of a renamed repository. The token is never sent elsewhere. */
  async #follow(request: ForgeRequest): Promise<RawResponse> {
    const { address, headers: own, signal } = this.#options;
    const { method, body: given } = request;
    const body = given === undefined ? {} : { body: JSON.stringify(given) };
    const headers = given === undefined ? own : { ...own, 'content-type': 'application/json' };
    let target = request.path;
    for (let hops = 0; ; hops += 1) {
      const response = await this.#transport.exchange({ method, target, headers, signal, ...body });
      const { status, header } = response;
      const location = header('location') ?? '';
      const isRedirect = [301, 302, 307, 308].includes(status) && URL.canParse(location, address.origin);
      const to = isRedirect ? new URL(location, address.origin) : undefined;
      if (to === undefined || to.origin !== address.origin || hops === mostRedirects) return response;
      target = `${to.pathname}${to.search}`;
    }
  }

  /** Milliseconds to wait after a rate limit, else undefined. GitHub also reports limits as 403, and in GraphQL as 200. */
  #limitOf(response: RawResponse, value: unknown): number | undefined {
    const { status, header } = response;
    const isUsedUp = header('x-ratelimit-remaining') === '0';
    const message = isRecord(value) ? String(value.message ?? '') : '';
    const isLimit =
      status === 429 ||
      (status === 403 &&
        (header('retry-after') !== undefined || isUsedUp || /rate limit|abuse/i.test(message))) ||
      (status === 200 && graphqlErrors(value).some(({ type }) => type === 'RATE_LIMITED'));
    if (!isLimit) return undefined;
    const reset = Number(header('x-ratelimit-reset') ?? header('ratelimit-reset') ?? Number.NaN);
    const untilReset = Number.isFinite(reset)
      ? Math.max(0, reset * 1000 - this.#options.clock.now())
      : undefined;
    return this.#retryAfter(response) ?? (isUsedUp ? untilReset : undefined) ?? slowDown;
  }

  #retryAfter({ header }: RawResponse): number | undefined {
    return parseRetryAfter(header('retry-after'), {
      now: this.#options.clock.now(),
      servedAt: header('date'),
    });
  }

  #advice(status: number, problem: string | undefined, { needs }: ForgeRequest): string | undefined {
    const { tokenName } = this.#options;
    if (status === 401) return `check ${tokenName}: it was not accepted`;
    if (status === 403 || /not accessible/i.test(problem ?? '')) return `${tokenName} needs ${needs}`;
    if (status === 404) return `check the repository and the number, and that ${tokenName} has ${needs}`;
    return undefined;
  }

  #error(failed: FailedRequest, mayHaveHappened: boolean): ForgeError {
    const { message, said, status, suggestion, fault } = failed;
    const seconds = Math.ceil((fault.retryAfterMs ?? 0) / 1000);
    const wait = seconds > 1 ? ` (wait ${seconds} s)` : '';
    const text = clean(`${message}${said === undefined ? '' : `: ${said}`}${wait}`, [this.#options.token]);
    return new ForgeError(text, { status, mayHaveHappened, suggestion });
  }
}

interface FailedRequest {
  readonly fault: Fault;
  readonly outcome: string;
  readonly status?: number;
  readonly mayHaveHappened: boolean;
  readonly message: string;
  readonly said?: string;
  readonly suggestion?: string | undefined;
}

function interrupted(): Error {
  return Object.assign(new Error('interrupted'), { name: 'AbortError' });
}

function graphqlErrors(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return recordsIn(recordOf(value).errors);
}

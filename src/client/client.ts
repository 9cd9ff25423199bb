/**
 * The client of the service: one generic `send` that checks requests and responses, retries if that is safe, and
 * paces itself. It knows operations only through the contract.
 */
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Api,
  ApiError,
  type ApiInput,
  hasStatus,
  type StepLabel,
  type Unlisted,
  unlisted,
} from '../contract/api.ts';
import type { OperationId, OperationInput, OperationOutput } from '../contract/index.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import { append } from '../util/lists.ts';
import { userError } from '../util/user-error.ts';
import { version } from '../util/version.ts';
import { type Arrival, type Attempt, Sender } from './attempts.ts';
import { parseBaseUrl, type ServiceAddress } from './base-url.ts';
import { acceptedEncoding } from './content-encoding.ts';
import { type Clock, type Pace, Pacer } from './pacing.ts';
import { type PreparedRequest, prepareRequest } from './request.ts';
import { type ResponseContext, readBody, statusError, transportFailure } from './response.ts';
import {
  defaultRetryLimits,
  type Fault,
  parseRateLimit,
  parseRetryAfter,
  type RetryLimits,
} from './retry.ts';
import { systemClock } from './system-clock.ts';
import { type Exchanges, type RawResponse, type Timeouts, Transport, TransportError } from './transport.ts';

export interface ClientOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** Default: `octavo/` and the version. */
  readonly userAgent?: string;
  /** Default: that of the system. */
  readonly clock?: Clock;
  readonly timeouts?: Partial<Timeouts>;
  /** Size limit of a response body. Default: 64 MiB. */
  readonly maxBodyBytes?: number;
  /** Maximum of requests in flight. Default: 8. */
  readonly concurrency?: number;
  /** Maximum of requests within any second. Default: unlimited. */
  readonly maxPerSecond?: number | undefined;
  readonly retries?: Partial<RetryLimits>;
  readonly signal?: AbortSignal;
  /** When aborted, requests in flight end, but nothing waits and nothing is retried. Default: `signal`. */
  readonly stopping?: AbortSignal;
  readonly allowHttp?: boolean;
  readonly proxy?: string;
  readonly transport?: Exchanges;
  readonly onRequest?: (event: RequestEvent) => void;
}

/** An attempt, for logs. Contains no secret, except in a query. */
export interface RequestEvent {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly attempt: number;
  readonly milliseconds: number;
  /** The status, or the error type if no response arrived. */
  readonly outcome: number | string;
  readonly failed: boolean;
  readonly bytes?: number;
  readonly objects?: number;
  /** Unit: milliseconds. Absent if no further attempt follows. */
  readonly retryInMs?: number;
  readonly step?: StepLabel;
}

export interface Client extends Api {
  readonly address: string;
  readonly pace: Pace;
  send<Id extends OperationId>(
    operation: Id,
    input: ApiInput & OperationInput<Id>,
  ): Promise<OperationOutput<Id>>;
  send(operation: OperationId | Unlisted, input: ApiInput): Promise<unknown>;
  all(operation: OperationId | Unlisted, input: ApiInput): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/** Maximum of objects per page (API document, "Limits"). */
const pageSize = 1000;

/** A longer list counts as endless. Services that return one object per page are rare. */
const mostPages = 20_000;
/** A few pages may be empty: services may filter after they count. */
const mostUselessPages = 20;

const defaultTimeouts: Timeouts = { connect: 10_000, headers: 60_000, body: 30_000, total: 180_000 };

export function createClient(options: ClientOptions): Client {
  return new HttpClient(options);
}

/** A list with fewer items than it counts itself. The missing ones would look deleted. */
class ShortList extends ApiError {}

class HttpClient implements Client {
  readonly #options: ClientOptions;
  readonly #clock: Clock;
  readonly #address: ServiceAddress;
  readonly #pacer: Pacer;
  readonly #sender: Sender;
  readonly #transport: Exchanges;
  readonly #signal: AbortSignal;

  constructor(options: ClientOptions) {
    checkToken(options.token);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#address = parseBaseUrl(options.baseUrl, { allowHttp: options.allowHttp ?? false });
    const concurrency = Math.max(1, options.concurrency ?? 8);
    this.#pacer = new Pacer({ concurrency, perSecond: options.maxPerSecond }, this.#clock);
    this.#signal = options.signal ?? new AbortController().signal;
    // Every request in flight adds a listener; that is not a leak.
    const { stopping = this.#signal } = options;
    setMaxListeners(0, this.#signal, stopping);
    this.#sender = new Sender({
      clock: this.#clock,
      pacer: this.#pacer,
      limits: { ...defaultRetryLimits, ...options.retries },
      signal: this.#signal,
      stopping,
      address: this.#address.text,
      token: options.token,
    });
    this.#transport =
      options.transport ??
      new Transport({
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

  get pace(): Pace {
    return this.#pacer.pace;
  }

  async send<Id extends OperationId>(
    operation: Id | Unlisted,
    input: ApiInput & OperationInput<Id>,
  ): Promise<OperationOutput<Id>> {
    return (await this.#perform(prepareRequest(operation, input))) as OperationOutput<Id>;
  }

  async all(operation: OperationId | Unlisted, input: ApiInput): Promise<readonly unknown[]> {
    const pages = new Set<string>();
    try {
      return await this.#all(operation, input, pages);
    } catch (error) {
      const isExpired = pages.size > 0 && hasStatus(error, 400);
      if (!isExpired && !(error instanceof ShortList)) throw error;
      // A page identifier may have expired, or others may have added items: the list is read again from the start, once.
      return this.#all(operation, input, new Set());
    }
  }

  async #all(
    operation: OperationId | Unlisted,
    input: ApiInput,
    pages: Set<string>,
  ): Promise<readonly unknown[]> {
    const { id, operation: about } = unlisted(operation);
    const { paged, method, path, items: itemsIn = itemsOf, mostPerPage: limit = pageSize } = about;
    if (!paged) return itemsIn(await this.#perform(prepareRequest(operation, input)));
    const request = { operation: id, method, path, attempt: 1, mayHaveHappened: false };
    const fail = (problem: string, Class = ApiError) =>
      new Class(`${id}: ${problem}`, { ...request, type: 'response' });
    const all: unknown[] = [];
    const ids = new Set<unknown>();
    let useless = 0;
    for (let page: string | undefined; ; ) {
      const query = { limit, ...input.query, ...defined({ page }) };
      const response = await this.#perform(prepareRequest(operation, { ...input, query }));
      if (typeof operation !== 'string' && listIn(response) === undefined)
        throw fail('the response is not a list: leave out --paginate');
      const items = itemsOf(response);
      append(all, items);
      const next = nextPage(response);
      const count = countIn(operation, response);
      if (next === undefined && count > all.length)
        throw fail(`the list ends after ${all.length} of ${count} items and names no next page`, ShortList);
      if (next === undefined) return all;
      if (pages.has(next)) throw fail(`pagination loop: page ${next} points back to a page already read`);
      pages.add(next);
      if (pages.size >= mostPages) throw fail(`no end after ${mostPages} pages`);
      const known = ids.size;
      for (const item of items) ids.add(isRecord(item) && 'id' in item ? item.id : item);
      useless = ids.size > known ? 0 : useless + 1;
      if (useless >= mostUselessPages) throw fail(`${useless} pages in a row had no new items`);
      page = next;
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  #perform(request: PreparedRequest): Promise<unknown> {
    return this.#sender.perform(request, {
      exchange: (context) => this.#exchange(context),
      ended: ({ attempt }, { milliseconds, ended, retryInMs }) =>
        this.#options.onRequest?.({
          operation: request.id,
          method: request.operation.method,
          path: request.path,
          query: request.target.slice(request.path.length + 1),
          attempt,
          milliseconds,
          outcome: ended.type === 'response' ? ended.status : (ended.error.status ?? ended.error.type),
          failed: ended.type === 'failed',
          ...defined({
            retryInMs,
            bytes: ended.bytes,
            objects: objectsIn(request, ended),
            step: request.step,
          }),
        }),
    });
  }

  async #exchange(context: ResponseContext): Promise<Arrival> {
    const { request } = context;
    let response: RawResponse;
    try {
      response = await this.#transport.exchange({
        method: request.operation.method,
        target: `${this.#address.prefix}${request.target}`,
        headers: {
          authorization: `Bearer ${this.#options.token}`,
          'user-agent': this.#options.userAgent ?? `octavo/${version}`,
          accept: 'application/json',
          'accept-encoding': acceptedEncoding,
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        signal: this.#signal,
        ...defined({ body: request.body }),
      });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      return { type: 'failed', fault: error.fault, error: transportFailure(context, error) };
    }
    const now = this.#clock.now();
    const window = parseRateLimit(response, now);
    if (response.status >= 200 && response.status < 300)
      return { type: 'unread', read: () => settle(context, response), window };
    const servedAt = response.header('date');
    const retryAfterMs = parseRetryAfter(response.header('retry-after'), { now, servedAt });
    const fault: Fault = { status: response.status, unsent: false, transient: false, retryAfterMs };
    return { type: 'failed', fault, error: statusError(context, response), bytes: response.bytes, window };
  }
}

/** Turns of the event loop. In the second one, undici writes the next request to the connection that received a response. */
const turnsToWrite = 3;

/**
 * Checks a successful response, after the next request was written. A response that breaks the contract fails without a
 * retry, which would return the same.
 */
async function settle(context: ResponseContext, response: RawResponse): Promise<Attempt> {
  for (let turn = 0; turn < turnsToWrite; turn += 1) await nextTurn();
  const { status, bytes } = response;
  try {
    return { type: 'response', status, bytes, value: readBody(context, response) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { type: 'failed', error, bytes, fault: { unsent: false, transient: false } };
  }
}

function objectsIn({ operation }: PreparedRequest, ended: Attempt): number | undefined {
  if (ended.type !== 'response' || operation.method !== 'GET' || !isRecord(ended.value)) return undefined;
  return Array.isArray(ended.value.items) ? ended.value.items.length : 1;
}

function itemsOf(response: unknown): readonly unknown[] {
  return listIn(response) ?? [];
}

function nextPage(response: unknown): string | undefined {
  const next = isRecord(response) && isRecord(response.next) ? response.next.page : undefined;
  return typeof next === 'string' && next !== '' ? next : undefined;
}

/** Number of items of the page or of the whole list, as the service counts them. */
function countIn(operation: OperationId | Unlisted, response: unknown): number {
  const isKnown = typeof operation === 'string' && isRecord(response);
  return isKnown && typeof response.count === 'number' ? response.count : 0;
}

function listIn(response: unknown): readonly unknown[] | undefined {
  const list = isRecord(response) ? response.items : response;
  return Array.isArray(list) ? list : undefined;
}

/** An invalid header value means a badly copied token, and sending it would give an obscure failure. The token is never shown. */
function checkToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  const message =
    token === ''
      ? 'the token is empty'
      : 'the token contains spaces, line breaks or other characters that are not valid in a token';
  throw userError('token', message, 'check OCTAVO_TOKEN or the token file; the token itself is never shown');
}

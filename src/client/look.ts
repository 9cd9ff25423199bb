/**
 * Reads from a service once and quickly, without retries, for diagnosis. Sends only GET requests, each with a short
 * timeout.
 */
import { ApiError, type ApiInput } from '../contract/api.ts';
import { type OperationId, operationOf } from '../contract/index.ts';
import { parseBaseUrl, type ServiceAddress } from './base-url.ts';
import { checkToken } from './check-token.ts';
import { prepareRequest } from './request.ts';
import { isSuccess, readBody, statusError, transportFailure } from './response.ts';
import { type RawResponse, Transport, TransportError } from './transport.ts';

/** Milliseconds; a slower service is not usable. */
const timeouts = { connect: 4000, headers: 8000, body: 8000, total: 10_000 };

const maxBodyBytes = 8 * 2 ** 20;

export interface LookerOptions {
  readonly baseUrl: string;
  readonly token: string;
  readonly proxy?: string;
  readonly allowHttp: boolean;
  readonly userAgent: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface Sight {
  /** Undefined if there was no response. */
  readonly status?: number;
  /** The checked body. */
  readonly value?: unknown;
  readonly error?: ApiError;
  /** The service's time and the local time of the response: milliseconds since 1970. */
  readonly clocks?: { readonly theirs: number; readonly ours: number };
  readonly milliseconds: number;
}

export class Looker {
  readonly address: ServiceAddress;
  readonly #options: LookerOptions;
  readonly #transport: Transport;

  /** Throws a DiagnosticError for an invalid base URL or token. */
  constructor(options: LookerOptions) {
    const { baseUrl, token, proxy, allowHttp } = options;
    checkToken(token);
    this.address = parseBaseUrl(baseUrl, { allowHttp });
    this.#options = options;
    this.#transport = new Transport({
      origin: this.address.origin,
      connections: 8,
      timeouts,
      maxBodyBytes,
      ...(proxy === undefined ? {} : { proxy }),
    });
  }

  /** One read. Never throws for a failure of the service; only GET operations are allowed. */
  async look(id: OperationId, input: ApiInput = {}): Promise<Sight> {
    if (operationOf(id).method !== 'GET') throw new Error(`${id} does not only read`);
    const { token, userAgent, now, signal } = this.#options;
    const request = prepareRequest(id, input);
    const context = { request, attempt: 1, token, address: this.address.text };
    const begun = now();
    try {
      const response = await this.#transport.exchange({
        method: 'GET',
        target: `${this.address.prefix}${request.target}`,
        headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': userAgent },
        signal,
      });
      const ended = now();
      const about = {
        status: response.status,
        milliseconds: ended - begun,
        ...clocksOf(response, begun, ended),
      };
      if (!isSuccess(response.status)) return { ...about, error: statusError(context, response) };
      return { ...about, ...readSafely(() => readBody(context, response)) };
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      return { error: transportFailure(context, error), milliseconds: now() - begun };
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }
}

function readSafely(read: () => unknown): Pick<Sight, 'value' | 'error'> {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ApiError) return { error };
    throw error;
  }
}

/** The header has whole seconds; it is compared with the middle of the request. */
function clocksOf(response: RawResponse, begun: number, ended: number): Pick<Sight, 'clocks'> {
  const theirs = Date.parse(response.header('date') ?? '');
  return Number.isNaN(theirs) ? {} : { clocks: { theirs, ours: (begun + ended) / 2 } };
}

/// <reference path="./undici-parts.d.ts" />
import type { Dispatcher as DispatcherType, Pool as PoolType } from 'undici';
import apiConnect from 'undici/lib/api/api-connect.js';
import apiRequest from 'undici/lib/api/api-request.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { decodeBody, EncodingError } from './content-encoding.ts';
import type { Fault } from './retry.ts';

// The whole package takes longer to load than a small plan takes; it does the same with all its calls.
Object.assign(Dispatcher.prototype, { request: apiRequest, connect: apiConnect });

/** Milliseconds. */
export interface Timeouts {
  readonly connect: number;
  /** From the request to the first byte of the response. */
  readonly headers: number;
  /** A body must bring `leastProgress` bytes in each such period, or end in it. */
  readonly body: number;
  readonly total: number;
}

const leastProgress = 1024;

interface TransportOptions {
  readonly origin: string;
  readonly connections: number;
  readonly timeouts: Timeouts;
  readonly maxBodyBytes: number;
  /** May hold its user name and password. */
  readonly proxy?: string;
}

interface Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface RawResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
  /** Of the body. */
  readonly bytes: number;
}

/** No complete response arrived. The message is the end of a sentence. */
export class TransportError extends Error {
  readonly type: 'connection' | 'timeout' | 'response' | 'cancelled';
  readonly fault: Fault;

  constructor(type: TransportError['type'], message: string, fault: Fault) {
    super(message);
    this.name = 'TransportError';
    this.type = type;
    this.fault = fault;
  }
}

export class Transport {
  readonly #pool: Dispatcher;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { origin, connections, timeouts, maxBodyBytes, proxy } = options;
    const limits = {
      connections,
      pipelining: 1,
      headersTimeout: timeouts.headers,
      // A body that drips would never be idle: its progress is watched instead.
      bodyTimeout: 0,
      maxResponseSize: maxBodyBytes,
    };
    const connect = { timeout: timeouts.connect };
    this.#pool =
      proxy === undefined
        ? new Pool(origin, { ...limits, connect })
        : new ProxyAgent({
            ...limits,
            uri: proxy,
            requestTls: connect,
            proxyTls: connect,
            // Otherwise a proxy that never opens the tunnel is waited for as long as a response.
            clientFactory: (origin, given) =>
              proxyPool(origin, { ...given, headersTimeout: timeouts.connect }),
          });
  }

  /** Sends once. Throws a TransportError if no complete response arrived. */
  async exchange(exchange: Exchange): Promise<RawResponse> {
    const { total, body: period } = this.#options.timeouts;
    const arrived: Arrived = { headers: false, bytes: 0 };
    const ending = new AbortController();
    const cancel = () => ending.abort();
    let late: string | undefined;
    const end = (why: string) => {
      late = why;
      ending.abort();
    };
    const timer = setTimeout(
      () =>
        end(
          `${arrived.headers ? 'the response was not complete' : 'no response headers'} after ${seconds(total)}`,
        ),
      total,
    );
    let pulse: NodeJS.Timeout | undefined;
    exchange.signal.addEventListener('abort', cancel, { once: true });
    if (exchange.signal.aborted) cancel();
    try {
      const { statusCode, headers, body } = await this.#pool.request({
        origin: this.#options.origin,
        method: exchange.method as 'GET',
        path: exchange.target,
        headers: exchange.headers,
        body: exchange.body ?? null,
        signal: ending.signal,
      });
      arrived.headers = true;
      let before = 0;
      pulse = setInterval(() => {
        if (arrived.bytes - before < leastProgress) end(`the response stalled for ${seconds(period)}`);
        before = arrived.bytes;
      }, period);
      const header = (name: string) => [headers[name] ?? []].flat();
      const encoding = header('content-encoding').join(', ');
      const read = encoding === '' ? readAll(body, arrived) : this.#readEncoded(body, arrived, encoding);
      return { status: statusCode, header: (name) => header(name)[0], ...(await read) };
    } catch (error) {
      if (exchange.signal.aborted) {
        throw new TransportError('cancelled', 'interrupted', { unsent: false, transient: false });
      }
      throw late === undefined
        ? this.#explain(error)
        : timedOut(arrived.headers ? `${late}: ${bodySoFar(arrived)}` : late);
    } finally {
      clearTimeout(timer);
      clearInterval(pulse);
      exchange.signal.removeEventListener('abort', cancel);
    }
  }

  async #readEncoded(
    body: AsyncIterable<Uint8Array>,
    arrived: Arrived,
    encoding: string,
  ): Promise<Pick<RawResponse, 'body' | 'bytes'>> {
    const pieces: Uint8Array[] = [];
    for await (const piece of body) {
      arrived.bytes += piece.byteLength;
      pieces.push(piece);
    }
    const plain = await decodeBody(Buffer.concat(pieces), encoding, this.#options.maxBodyBytes);
    return { body: new TextDecoder().decode(plain), bytes: arrived.bytes };
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #explain(error: unknown): TransportError {
    const { maxBodyBytes, proxy } = this.#options;
    if (error instanceof EncodingError) return unreadable(error.message);
    const cause = rootOf(error);
    // Without the proxy's user name and password.
    const through = proxy === undefined ? '' : ` through the proxy ${new URL(proxy).host}`;
    const origin = `${this.#options.origin}${through}`;
    const host = new URL(proxy ?? this.#options.origin).hostname;
    const late = this.#timeout(cause, origin);
    if (late !== undefined) return late;
    if (cause.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
      return unreadable(`the response is larger than ${Math.round(maxBodyBytes / 2 ** 20)} MiB`);
    }
    if (cause.code === 'ENOTFOUND') {
      return new TransportError('connection', `host not found: ${host}`, { unsent: true, transient: false });
    }
    if (cause.code === 'ECONNREFUSED') return unsent(`cannot connect to ${origin}: connection refused`);
    if (cause.syscall === 'connect' || cause.syscall === 'getaddrinfo') {
      return unsent(`cannot connect to ${origin}: ${cause.code}`);
    }
    if (isTlsCode(cause.code)) {
      const fault = { unsent: true, transient: false };
      return new TransportError('connection', `TLS connection to ${origin} failed: ${cause.message}`, fault);
    }
    if (proxy !== undefined && /Proxy response \(\d+\)/.test(cause.message)) {
      const status = /\((\d+)\)/.exec(cause.message)?.[1];
      return unsent(`cannot connect to ${origin}: the proxy returned ${status}`);
    }
    if (cause.name === 'HTTPParserError') return unreadable('the response is not HTTP');
    return new TransportError(
      'connection',
      `the connection to ${origin} broke before the response was complete`,
      {
        unsent: false,
        transient: true,
      },
    );
  }

  #timeout(cause: ErrorDetails, origin: string): TransportError | undefined {
    const { timeouts } = this.#options;
    if (cause.code === 'UND_ERR_CONNECT_TIMEOUT' || cause.code === 'ETIMEDOUT') {
      return unsent(`no connection to ${origin} within ${seconds(timeouts.connect)}`, 'timeout');
    }
    if (cause.name === TunnelTimeout.name) {
      return unsent(`no tunnel to ${origin} within ${seconds(timeouts.connect)}`, 'timeout');
    }
    if (cause.code === 'UND_ERR_HEADERS_TIMEOUT') {
      return timedOut(`no response headers within ${seconds(timeouts.headers)}`);
    }
    return undefined;
  }
}

interface Arrived {
  headers: boolean;
  bytes: number;
}

async function readAll(
  body: AsyncIterable<Uint8Array>,
  arrived: Arrived,
): Promise<Pick<RawResponse, 'body' | 'bytes'>> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    arrived.bytes += piece.byteLength;
    text += decoder.decode(piece, { stream: true });
  }
  return { body: text + decoder.decode(), bytes: arrived.bytes };
}

function bodySoFar({ bytes }: Arrived): string {
  return bytes === 1 ? '1 byte of the body arrived' : `${bytes} bytes of the body arrived`;
}

function unsent(message: string, type: 'connection' | 'timeout' = 'connection'): TransportError {
  return new TransportError(type, message, { unsent: true, transient: true });
}

function timedOut(message: string): TransportError {
  return new TransportError('timeout', message, { unsent: false, transient: true });
}

function unreadable(message: string): TransportError {
  return new TransportError('response', message, { unsent: false, transient: false });
}

function isTlsCode(code: string): boolean {
  return /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/.test(code);
}

interface ErrorDetails {
  readonly name: string;
  readonly code: string;
  readonly syscall: string;
  readonly message: string;
}

/** The innermost error; if several addresses were tried, that of the first. */
function rootOf(error: unknown): ErrorDetails {
  const { name, code, syscall, message, cause, errors } = error as {
    name?: unknown;
    code?: unknown;
    syscall?: unknown;
    message?: unknown;
    cause?: unknown;
    errors?: unknown;
  };
  if (Array.isArray(errors) && errors.length > 0) return rootOf(errors[0]);
  if (typeof code !== 'string' && cause instanceof Error) return rootOf(cause);
  return {
    name: String(name ?? ''),
    code: String(code ?? ''),
    syscall: String(syscall ?? ''),
    message: String(message ?? ''),
  };
}

function seconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toFixed(1))} s`;
}

/** The proxy accepted the connection, but did not open the tunnel. */
class TunnelTimeout extends Error {
  override readonly name = 'TunnelTimeout';
}

function proxyPool(origin: URL, options: PoolType.Options): Dispatcher {
  const pool = new Pool(origin, options);
  const open = pool.connect.bind(pool) as (
    to: DispatcherType.ConnectOptions,
  ) => Promise<DispatcherType.ConnectData>;
  const connect = async (to: DispatcherType.ConnectOptions) => {
    try {
      return await open(to);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      throw code === 'UND_ERR_HEADERS_TIMEOUT' ? new TunnelTimeout() : error;
    }
  };
  return Object.assign(pool, { connect }) as unknown as Dispatcher;
}

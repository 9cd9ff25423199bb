/// <reference path="./undici-parts.d.ts" />
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import { countOf } from '../util/count.ts';
import { decodeBody, EncodingError } from './content-encoding.ts';
import type { Fault } from './retry.ts';

/** Unit: milliseconds. */
export interface Timeouts {
  readonly connect: number;
  /** Time from the request to the first byte of the response. */
  readonly headers: number;
  /** In each such period a body must bring `leastProgress` bytes or end. */
  readonly body: number;
  readonly total: number;
}

const leastProgress = 1024;

interface TransportOptions {
  readonly origin: string;
  readonly connections: number;
  readonly timeouts: Timeouts;
  readonly maxBodyBytes: number;
  /** URL of the proxy; may contain a user name and password. */
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
  readonly bytes: number;
}

/** No complete response arrived. The message ends a sentence. */
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

/** The part of a transport that clients use, so that a service in the same process needs no sockets. */
export type Exchanges = Pick<Transport, 'exchange' | 'close'>;

export class Transport {
  readonly #pool: Promise<Dispatcher>;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#pool = openPool(options);
    // The first request reports a failure.
    this.#pool.catch(() => undefined);
  }

  async exchange({ method, target, headers, body, signal }: Exchange): Promise<RawResponse> {
    const { total, body: period } = this.#options.timeouts;
    let late: string | undefined;
    const end = (why: string) => {
      late = why;
      response.abort();
    };
    let pulse: NodeJS.Timeout | undefined;
    const response = new ResponseHandler(() => {
      let before = 0;
      pulse = setInterval(() => {
        if (response.bytes - before < leastProgress) end(`the response stalled for ${seconds(period)}`);
        before = response.bytes;
      }, period);
    });
    const timer = setTimeout(() => {
      const missing = response.hasBegun ? 'the response was not complete' : 'no response headers';
      end(`${missing} after ${seconds(total)}`);
    }, total);
    const cancel = () => response.abort();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      const { origin } = this.#options;
      const request = { origin, method: method as 'GET', path: target, headers, body: body ?? null };
      (await this.#pool).dispatch(request, response);
      const received = await response.body;
      const encoding = response.header('content-encoding').join(', ');
      const plain =
        encoding === '' ? received : await decodeBody(received, encoding, this.#options.maxBodyBytes);
      return {
        status: response.status,
        header: (name) => response.header(name)[0],
        body: new TextDecoder().decode(plain),
        bytes: response.bytes,
      };
    } catch (error) {
      if (signal.aborted)
        throw new TransportError('cancelled', 'interrupted', { unsent: false, transient: false });
      if (late === undefined) throw this.#explain(error);
      const arrived = `${countOf(response.bytes, 'byte')} of the body arrived`;
      throw timedOut(response.hasBegun ? `${late}: ${arrived}` : late);
    } finally {
      clearTimeout(timer);
      clearInterval(pulse);
      signal.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    await (await this.#pool).destroy();
  }

  #explain(error: unknown): TransportError {
    const { maxBodyBytes, proxy } = this.#options;
    if (error instanceof EncodingError) return unreadable(error.message);
    const cause = rootOf(error);
    // Omits the user name and password of the proxy.
    const through = proxy === undefined ? '' : ` through the proxy ${new URL(proxy).host}`;
    const origin = `${this.#options.origin}${through}`;
    const host = new URL(proxy ?? this.#options.origin).hostname;
    const late = this.#timeout(cause, origin);
    if (late !== undefined) return late;
    if (cause.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
      return unreadable(`the response is larger than ${Math.round(maxBodyBytes / 2 ** 20)} MiB`);
    }
    if (cause.code === 'ENOTFOUND') return unsent(`host not found: ${host}`, { transient: false });
    if (cause.code === 'ECONNREFUSED') return unsent(`cannot connect to ${origin}: connection refused`);
    if (cause.syscall === 'connect' || cause.syscall === 'getaddrinfo') {
      return unsent(`cannot connect to ${origin}: ${cause.code}`);
    }
    if (isTlsCode(cause.code)) {
      return unsent(`TLS connection to ${origin} failed: ${tlsReason(cause)}`, { transient: false });
    }
    if (proxy !== undefined && /Proxy response \(\d+\)/.test(cause.message)) {
      const status = /\((\d+)\)/.exec(cause.message)?.[1];
      return unsent(`cannot connect to ${origin}: the proxy returned ${status}`);
    }
    if (cause.name === 'HTTPParserError') return unreadable('the response is not HTTP');
    const message = `the connection to ${origin} broke before the response was complete`;
    return new TransportError('connection', message, { unsent: false, transient: true });
  }

  #timeout(cause: ErrorDetails, origin: string): TransportError | undefined {
    const { timeouts } = this.#options;
    if (cause.code === 'UND_ERR_CONNECT_TIMEOUT' || cause.code === 'ETIMEDOUT') {
      return unsent(`no connection to ${origin} within ${seconds(timeouts.connect)}`, { type: 'timeout' });
    }
    if (cause.name === 'TunnelTimeout') {
      return unsent(`no tunnel to ${origin} within ${seconds(timeouts.connect)}`, { type: 'timeout' });
    }
    if (cause.code === 'UND_ERR_HEADERS_TIMEOUT') {
      return timedOut(`no response headers within ${seconds(timeouts.headers)}`);
    }
    return undefined;
  }
}

async function openPool(options: TransportOptions): Promise<Dispatcher> {
  const { origin, connections, timeouts, maxBodyBytes, proxy } = options;
  const limits = {
    connections,
    pipelining: 1,
    headersTimeout: timeouts.headers,
    // A slowly dripping body would never be idle, so its progress is watched instead.
    bodyTimeout: 0,
    maxResponseSize: maxBodyBytes,
  };
  const connect = { timeout: timeouts.connect };
  if (proxy === undefined) return new Pool(origin, { ...limits, connect });
  const { openProxy } = await import('./proxy.ts');
  return openProxy({ ...limits, uri: proxy, requestTls: connect, proxyTls: connect });
}

/** Receives a response piece by piece; undici calls it. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly body: Promise<Uint8Array>;
  status = 0;
  bytes = 0;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  readonly #pieces: Uint8Array[] = [];
  readonly #onBegin: () => void;
  #end: (body: Uint8Array) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;

  constructor(onBegin: () => void) {
    this.#onBegin = onBegin;
    this.body = new Promise((end, fail) => {
      this.#end = end;
      this.#fail = fail;
    });
  }

  get hasBegun(): boolean {
    return this.status !== 0;
  }

  header(name: string): readonly string[] {
    return [this.#headers[name] ?? []].flat();
  }

  /** Also cancels a request that still waits for its connection. */
  abort(): void {
    this.#aborted ??= new Error('aborted');
    this.#controller?.abort(this.#aborted);
    this.#fail(this.#aborted);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted !== undefined) controller.abort(this.#aborted);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // 1xx responses precede the real one.
    if (status < 200) return;
    this.status = status;
    this.#headers = headers;
    this.#onBegin();
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    this.bytes += piece.byteLength;
    this.#pieces.push(piece);
  }

  onResponseEnd(): void {
    this.#end(this.#pieces.length === 1 ? (this.#pieces[0] as Uint8Array) : Buffer.concat(this.#pieces));
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(error);
  }
}

type Unsent = Partial<Pick<TransportError, 'type'> & Pick<Fault, 'transient'>>;

function unsent(message: string, { type = 'connection', transient = true }: Unsent = {}): TransportError {
  return new TransportError(type, message, { unsent: true, transient });
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

/** Example: `wrong version number`, without the source lines of OpenSSL around it. */
function tlsReason({ message }: Pick<ErrorDetails, 'message'>): string {
  return /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message.trim();
}

type ErrorDetails = Readonly<Record<'name' | 'code' | 'syscall' | 'message', string>>;

/** The innermost error. If several addresses were tried, the error of the first. */
function rootOf(error: unknown): ErrorDetails {
  const { name, code, syscall, message, cause, errors } = error as Partial<
    Record<keyof ErrorDetails | 'cause' | 'errors', unknown>
  >;
  if (Array.isArray(errors) && errors.length > 0) return rootOf(errors[0]);
  if (typeof code !== 'string' && cause instanceof Error) return rootOf(cause);
  const text = (value: unknown) => String(value ?? '');
  return { name: text(name), code: text(code), syscall: text(syscall), message: text(message) };
}

function seconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toFixed(1))} s`;
}

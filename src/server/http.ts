/** The HTTP face of the embedded service: sockets, body limits, faults, the request log. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ServiceResponse } from '../contract/api.ts';
import { errorBody } from './errors.ts';
import { type FaultRule, Faults } from './faults.ts';
import { operationOfRequest, respond, type ServiceDeps } from './service.ts';

const maxBody = 1024 * 1024;

/** Time in milliseconds for the client to read a last response before its connection is closed. */
const farewell = 1000;

interface HttpOptions {
  /** Time limit for receiving a request, in milliseconds. */
  readonly requestTimeoutMs: number;
  readonly deps: () => ServiceDeps;
  readonly faults: readonly FaultRule[];
  readonly log: Log | undefined;
}

type Log = (line: string) => void;

/** Former lists, and the time of the first write after each. */
type Staleness = Map<string, { readonly body: string; until?: number }>;

export function makeServer(options: HttpOptions): Server {
  const faulty: Faulty = {
    faults: new Faults(options.faults, () => options.deps().random()),
    stale: new Map(),
    turns: new Turns(),
  };
  const timeout = options.requestTimeoutMs;
  const settings = {
    keepAliveTimeout: 30_000,
    headersTimeout: timeout,
    requestTimeout: timeout,
    connectionsCheckingInterval: Math.ceil(timeout / 4),
    // Checked with other errors, so that the response is JSON.
    requireHostHeader: false,
  };
  const server = createServer(settings, (request, response) => {
    if (options.log !== undefined) logWhenDone(options.log, request, response);
    serve(options.deps(), faulty, request, response).catch((error: unknown) => {
      if (!request.destroyed) options.deps().report(error);
      response.destroy();
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const [status, reason, message] = clientErrors[error.code ?? ''] ?? otherClientError;
    const body = JSON.stringify(errorBody(status, message));
    const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
    setTimeout(() => socket.destroy(), farewell).unref();
  });
  return server;
}

function logWhenDone(log: Log, request: IncomingMessage, response: ServerResponse): void {
  const started = performance.now();
  response.on('close', () => {
    const ms = (performance.now() - started).toFixed(1);
    const url = request.url?.replace(/([?&]shareKey=)[^&]*/g, '$1…');
    log(`${request.method} ${url} ${response.statusCode} ${ms}ms`);
  });
}

type ClientError = readonly [status: number, reason: string, message: string];

const clientErrors: Readonly<Record<string, ClientError>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'the headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'the request took too long to arrive'],
};

const otherClientError: ClientError = [400, 'Bad Request', 'not an HTTP request'];

interface Faulty {
  readonly faults: Faults;
  readonly stale: Staleness;
  readonly turns: Turns;
}

async function serve(
  deps: ServiceDeps,
  { faults, stale, turns }: Faulty,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET' } = request;
  const url = originForm(request.url ?? '/');
  if (method === 'GET' && url === '/healthz') {
    send(response, { status: 200, headers: { 'content-type': 'application/json' }, body: '{"status":"ok"}' });
    return;
  }
  const body = wrongHeaders(request) ?? (await readBody(request));
  if (!Buffer.isBuffer(body)) {
    refuse(request, response, body);
    return;
  }
  await turns.next();
  const operation = faults.none ? undefined : operationOfRequest(method, url);
  const fault = operation === undefined ? undefined : faults.next(operation);
  if (fault !== undefined && (await failBefore(fault, response))) return;
  const { authorization } = request.headers;
  const contentType = request.headers['content-type'];
  const made = await respond(deps, { method, target: url, authorization, contentType, body });
  const key = `${authorization} ${url}`;
  const shown = faults.none ? made : lagging(stale, { fault, key, method, made, now: deps.now().getTime() });
  if (fault?.type === 'lost-response') response.destroy();
  else if (fault?.type === 'truncate' && shown.body !== null) truncate(response, shown);
  else send(response, shown);
}

/** Injects faults before the request is processed. Returns true if the request is over. */
async function failBefore(fault: FaultRule, response: ServerResponse): Promise<boolean> {
  if (fault.type === 'reset') {
    response.destroy();
    return true;
  }
  if (fault.type === 'latency') await new Promise((done) => setTimeout(done, fault.milliseconds ?? 100));
  if (fault.type !== 'status') return false;
  const status = fault.status ?? 503;
  const headers: Record<string, string> = {};
  if (fault.retryAfter !== undefined) {
    const { form, seconds } = fault.retryAfter;
    const until = new Date(Date.now() + seconds * 1000);
    headers['retry-after'] = form === 'seconds' ? String(seconds) : until.toUTCString();
  }
  if (fault.rateLimit !== undefined) {
    const { limit, seconds } = fault.rateLimit;
    headers['x-ratelimit-limit'] = String(limit);
    headers['x-ratelimit-remaining'] = '0';
    headers['x-ratelimit-reset'] = String(Math.ceil(Date.now() / 1000 + seconds));
  }
  const type = fault.html === true ? 'text/html' : 'application/json';
  const body =
    fault.html === true ? '<html><body>Bad day</body></html>' : JSON.stringify(errorBody(status, 'a fault'));
  send(response, { status, headers: { ...headers, 'content-type': type }, body });
  return true;
}

interface ListAnswer {
  readonly fault: FaultRule | undefined;
  readonly key: string;
  readonly method: string;
  readonly made: ServiceResponse;
  readonly now: number;
}

function lagging(stale: Staleness, { fault, key, method, made, now }: ListAnswer): ServiceResponse {
  if (method !== 'GET') {
    for (const list of stale.values()) list.until ??= now;
    return made;
  }
  const known = stale.get(key);
  const isRecent = known?.until !== undefined && now - known.until < (fault?.milliseconds ?? 1000);
  if (fault?.type === 'stale-lists' && isRecent) return { ...made, body: known.body };
  if (made.status === 200 && made.body !== null) stale.set(key, { body: made.body });
  return made;
}

function truncate(response: ServerResponse, made: ServiceResponse): void {
  const body = Buffer.from(made.body ?? '');
  response.writeHead(made.status, { ...made.headers, 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

function send(response: ServerResponse, made: ServiceResponse): void {
  const { body } = made;
  const length = made.status === 204 ? {} : { 'content-length': body === null ? 0 : Buffer.byteLength(body) };
  response.writeHead(made.status, { ...made.headers, ...length });
  if (body === null) response.end();
  else response.end(body);
}

/** Path and query of a target, even in absolute form (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
}

interface EarlyRefusal {
  readonly status: number;
  readonly message: string;
}

function wrongHeaders(request: IncomingMessage): EarlyRefusal | undefined {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    return { status: 415, message: `the content encoding ${encoding} is not accepted` };
  const given = { host: 0, authorization: 0 };
  const { rawHeaders } = request;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase();
    if (name === 'host' || name === 'authorization') given[name] += 1;
  }
  if (given.host === 0 && request.httpVersion !== '1.0')
    return { status: 400, message: 'the Host header is missing' };
  const repeated = (['host', 'authorization'] as const).find((name) => given[name] > 1);
  return repeated === undefined ? undefined : { status: 400, message: `more than one ${repeated} header` };
}

const tooLarge: EarlyRefusal = { status: 413, message: `bodies have at most ${maxBody} bytes` };

function refuse(request: IncomingMessage, response: ServerResponse, { status, message }: EarlyRefusal): void {
  const body = JSON.stringify(errorBody(status, message));
  const length = Buffer.byteLength(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': length,
    connection: 'close',
  });
  response.write(body);
  // Read the rest first: closing would reset the connection, and discard the response before the client reads it.
  request.resume().once('end', () => response.end());
  setTimeout(() => response.destroy(), farewell).unref();
}

const noBody = Buffer.alloc(0);

async function readBody(request: IncomingMessage): Promise<Buffer | EarlyRefusal> {
  const length = request.headers['content-length'];
  if (length === undefined && request.headers['transfer-encoding'] === undefined) return noBody;
  if (Number(length ?? 0) > maxBody) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) return tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const mostAtOnce = 16;
/** The next turn may be larger if this one took no longer, in milliseconds. */
const quick = 4;

class Turns {
  readonly #waiting: (() => void)[] = [];
  #atOnce = 1;

  /** Work of the caller before its next await belongs to its turn. */
  next(): Promise<void> {
    return new Promise((turn) => {
      this.#waiting.push(turn);
      if (this.#waiting.length === 1) setImmediate(() => this.#give());
    });
  }

  #give(): void {
    const started = performance.now();
    const taken = Math.min(this.#atOnce, this.#waiting.length);
    for (const turn of this.#waiting.slice(0, taken)) turn();
    // Runs after the work of the turn.
    queueMicrotask(() => setImmediate(() => this.#goOn(started, taken)));
  }

  #goOn(started: number, taken: number): void {
    this.#waiting.splice(0, taken);
    this.#atOnce = performance.now() - started < quick ? Math.min(mostAtOnce, this.#atOnce * 2) : 1;
    if (this.#waiting.length > 0) this.#give();
  }
}

/** The HTTP face of the embedded service: sockets, body limits, faults, the request log. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorBody } from './errors.ts';
import { type FaultRule, Faults } from './faults.ts';
import { operationOfRequest, respond, type ServiceDeps, type ServiceResponse } from './service.ts';

const maxBody = 1024 * 1024;

/** What the server is made with. */
export interface HttpOptions {
  readonly deps: () => ServiceDeps;
  readonly faults: readonly FaultRule[];
  readonly log: ((line: string) => void) | undefined;
}

/** Lists as they were before the last write, for the fault that returns them. */
interface Staleness {
  lastWrite: number;
  readonly lists: Map<string, { readonly body: string; readonly at: number }>;
}

/** Makes the server; it does not listen yet. */
export function makeServer(options: HttpOptions): Server {
  const faulty: Faulty = {
    faults: new Faults(options.faults, () => options.deps().random()),
    stale: { lastWrite: 0, lists: new Map() },
  };
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    const started = performance.now();
    response.on('close', () => {
      const ms = (performance.now() - started).toFixed(1);
      options.log?.(`${request.method} ${request.url} ${response.statusCode} ${ms}ms`);
    });
    serve(options.deps(), faulty, { request, response }).catch((error: unknown) => {
      if (!request.destroyed) options.deps().report(error);
      response.destroy();
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return;
    const long = error.code === 'HPE_HEADER_OVERFLOW';
    const body = JSON.stringify(
      errorBody(long ? 431 : 400, long ? 'the headers are too long' : 'not an HTTP request'),
    );
    const status = long ? '431 Request Header Fields Too Large' : '400 Bad Request';
    const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
  });
  return server;
}

/** The faults of a server, and what they need to remember. */
interface Faulty {
  readonly faults: Faults;
  readonly stale: Staleness;
}

async function serve(
  deps: ServiceDeps,
  { faults, stale }: Faulty,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  if (method === 'GET' && url === '/healthz') {
    send(response, { status: 200, headers: { 'content-type': 'application/json' }, body: '{"status":"ok"}' });
    return;
  }
  const body = await readBody(request);
  if (body === null) {
    const message = JSON.stringify(errorBody(413, `bodies have at most ${maxBody} bytes`));
    send(response, {
      status: 413,
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: message,
    });
    return;
  }
  const operation = faults.none ? undefined : operationOfRequest(method, url);
  const fault = operation === undefined ? undefined : faults.next(operation);
  if (fault !== undefined && (await failBefore(fault, response))) return;
  const { authorization } = request.headers;
  const contentType = request.headers['content-type'];
  const made = await respond(deps, { method, target: url, authorization, contentType, body });
  const key = `${authorization} ${url}`;
  const shown = faults.none ? made : lagging(stale, { fault, key, method, made });
  if (fault?.type === 'lost-response') response.destroy();
  else if (fault?.type === 'truncate' && shown.body !== null) truncate(response, shown);
  else send(response, shown);
}

/** Faults that strike before anything is done. True when the request is over. */
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
  const type = fault.html === true ? 'text/html' : 'application/json';
  const body =
    fault.html === true ? '<html><body>Bad day</body></html>' : JSON.stringify(errorBody(status, 'a fault'));
  send(response, { status, headers: { ...headers, 'content-type': type }, body });
  return true;
}

/** The list as it was before the last write, while that is recent enough for the fault. */
function lagging(
  stale: Staleness,
  {
    fault,
    key,
    method,
    made,
  }: {
    readonly fault: FaultRule | undefined;
    readonly key: string;
    readonly method: string;
    readonly made: ServiceResponse;
  },
): ServiceResponse {
  const now = performance.now();
  if (method !== 'GET') {
    stale.lastWrite = now;
    return made;
  }
  const known = stale.lists.get(key);
  const recent = fault?.type === 'stale-lists' && now - stale.lastWrite < (fault.milliseconds ?? 1000);
  if (recent && known !== undefined && known.at < stale.lastWrite) return { ...made, body: known.body };
  if (made.status === 200 && made.body !== null) stale.lists.set(key, { body: made.body, at: now });
  return made;
}

function truncate(response: ServerResponse, made: ServiceResponse): void {
  const body = Buffer.from(made.body ?? '');
  response.writeHead(made.status, { ...made.headers, 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

function send(response: ServerResponse, made: ServiceResponse): void {
  const body = made.body === null ? undefined : Buffer.from(made.body);
  const length = made.status === 204 ? {} : { 'content-length': body?.length ?? 0 };
  response.writeHead(made.status, { ...made.headers, ...length });
  response.end(body);
}

/** The whole body, or null when it is too large; one without end is cut off. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBody) chunks.push(chunk);
    if (size > 32 * maxBody) request.destroy();
  }
  return size > maxBody ? null : Buffer.concat(chunks);
}

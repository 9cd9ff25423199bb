/** Base of the fakes of GitHub and GitLab: a local server that records requests and can be made to fail. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Exchanges } from '../../../src/client/transport.ts';

/** A received request. */
export interface ForgeCall {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Parsed body, if any. */
  readonly body: unknown;
}

export interface ForgeAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** Raw content, as an alternative to `body`. */
  readonly file?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A fault: a response that replaces the fake's own; `cut`: the connection breaks before the request is seen; `lost`: the
 * connection breaks after the request took effect; `slow`: the response comes a second later; `hang`: there is no response.
 */
export interface ForgeFault {
  /** Matches `METHOD path`, followed by the requested field for GraphQL. */
  readonly on: RegExp;
  readonly how: 'cut' | 'lost' | 'slow' | 'hang' | ForgeAnswer;
  /** Number of times; defaults to 1. */
  readonly times?: number;
}

/** A running fake. */
export interface ForgeServer {
  /** Origin of the fake. */
  readonly url: string;
  /** `METHOD path` of every request, with the field of GraphQL. */
  readonly log: string[];
  readonly fail: (fault: ForgeFault) => void;
  /** Mistakes in requests; any mistake makes the test fail at its end. */
  readonly problems: string[];
}

/** A request that the API would refuse. */
export class WrongRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Answer = (call: ForgeCall) => Promise<ForgeAnswer>;
type NameOf = (call: ForgeCall) => string;

/** Starts a fake for the duration of a test. `nameOf` returns the log line of a request. */
export async function startForge(
  answer: Answer,
  nameOf: NameOf = ({ method, path }) => `${method} ${path}`,
): Promise<ForgeServer> {
  const faults: (ForgeFault & { left: number })[] = [];
  const log: string[] = [];
  const problems: string[] = [];
  const carriedOut = checkedBy(answer, nameOf, problems);
  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing).catch((error: unknown) => {
      problems.push(String(error));
      incoming.socket.destroy();
    });
  });
  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const call = await readCall(incoming);
    const name = nameOf(call);
    log.push(name);
    const fault = faults.find((one) => one.left > 0 && one.on.test(name));
    if (fault !== undefined) fault.left -= 1;
    if (fault?.how === 'hang') return;
    if (fault?.how === 'cut') {
      incoming.socket.destroy();
      return;
    }
    const isReplaced = typeof fault?.how === 'object';
    const made = isReplaced ? fault.how : await carriedOut(call);
    if (fault?.how === 'slow') await new Promise((done) => setTimeout(done, 1000));
    if (fault?.how === 'lost') {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(made.status, { 'content-type': 'application/json; charset=utf-8', ...made.headers });
    outgoing.end(made.file ?? (made.body === undefined ? '' : JSON.stringify(made.body)));
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(problems).toEqual([]);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    problems,
    fail: (fault) => faults.push({ ...fault, left: fault.times ?? 1 }),
  };
}

/** A fake without a socket; its user reads its problems. */
export function memoryForge(answer: Answer, nameOf: NameOf) {
  const log: string[] = [];
  const problems: string[] = [];
  const carriedOut = checkedBy(answer, nameOf, problems);
  const exchange: Exchanges['exchange'] = async ({ method, target, headers, body }) => {
    const { pathname: path, searchParams: query } = new URL(target, 'http://fake');
    const call = { method, path, query, headers, body: body === undefined ? undefined : JSON.parse(body) };
    log.push(nameOf(call));
    const { status, body: value } = await carriedOut(call);
    const text = value === undefined ? '' : JSON.stringify(value);
    const header = (name: string) =>
      name === 'content-type' ? 'application/json; charset=utf-8' : undefined;
    return { status, header, body: text, bytes: Buffer.byteLength(text) };
  };
  return { url: 'https://api.github.com', log, problems, fail: () => undefined, exchange };
}

function checkedBy(answer: Answer, nameOf: NameOf, problems: string[]): Answer {
  return async (call) => {
    try {
      return await answer(call);
    } catch (error) {
      if (!(error instanceof WrongRequest)) throw error;
      // An error that a caller cannot foresee, such as a deleted number, is not a mistake.
      if (![401, 403, 404].includes(error.status)) problems.push(`${nameOf(call)}: ${error.message}`);
      return { status: error.status, body: { message: error.message } };
    }
  };
}

async function readCall(incoming: IncomingMessage): Promise<ForgeCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', 'http://fake');
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { method: incoming.method ?? '', path, query, headers: incoming.headers, body };
}

/** The fields of a body, which must be these and no others. */
export function fieldsOf<K extends string>(
  { body }: ForgeCall,
  fields: Readonly<Record<K, 'string' | 'string?' | 'object'>>,
): Record<K, string> {
  if (typeof body !== 'object' || body === null) throw new WrongRequest(400, 'Problems parsing JSON');
  for (const key of Object.keys(body))
    if (!(key in fields)) throw new WrongRequest(422, `"${key}" is not a permitted key`);
  const given = body as Record<string, unknown>;
  for (const [key, type] of Object.entries<string>(fields)) {
    const kind = typeof given[key];
    if (kind !== type && !(type === 'string?' && ['string', 'undefined'].includes(kind)))
      throw new WrongRequest(422, `"${key}" is not a ${type}`);
  }
  return given as Record<K, string>;
}

/** A page of a list by its number; refuses sizes that the APIs refuse or silently reduce. */
export function pageOf<T>(items: readonly T[], { query }: ForgeCall, most: number) {
  const size = Number(query.get('per_page') ?? 30);
  const page = Number(query.get('page') ?? 1);
  if (!(size >= 1 && size <= 100 && page >= 1))
    throw new WrongRequest(400, 'per_page or page is out of range');
  const each = Math.min(size, most);
  return { page, items: items.slice((page - 1) * each, page * each), hasNext: items.length > page * each };
}

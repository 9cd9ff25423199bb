/** A service for one test: loopback sockets, scripted responses and a record of the requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient, type RequestEvent } from '../../src/client/client.ts';
import { ApiError } from '../../src/contract/api.ts';

/** A request that arrived. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers request `number`, counted from 1. */
export type Script = (request: Arrived, response: ServerResponse, number: number) => void | Promise<void>;

/** A token that must not appear in any message. */
export const token = 'tok_4f1d8a7c2b';

/** Starts the service; it ends with the test. */
export async function serve(script: Script) {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body };
    arrived.push(one);
    await script(one, response, arrived.length);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { arrived, url: `http://127.0.0.1:${port}` };
}

/** A client without real pauses; `slept` records the delays, `events` the reported events. */
export function connect(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const slept: number[] = [];
  const events: RequestEvent[] = [];
  const client: Client = createClient({
    baseUrl,
    token,
    userAgent: 'octavo/test',
    clock: {
      now: () => Date.now(),
      random: () => 0.5,
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
      },
    },
    onRequest: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, slept, events };
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** The ApiError with which a promise rejects. */
export async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`expected an ApiError, got ${String(error)}`);
}

/** A team as the service answers it. */
export function team(id: string, title: string) {
  return { object: 'team', id, title, members: 0, spaces: 0 };
}

/** Records the responses of a service, and replays them from a process that costs no time. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A request and its response; bodies as text. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** Records the requests to `url` during a function, which gets the address of a recording proxy. */
export async function record(
  url: string,
  deed: (address: string) => Promise<unknown>,
): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { method = 'GET', url: path = '/' } = request;
    const body = Buffer.concat(pieces).toString('utf8');
    const { authorization = '', 'content-type': type } = request.headers;
    const answered = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === '' ? {} : { body }),
    });
    const answer = await answered.text();
    exchanges.push({ method, path, body, status: answered.status, answer });
    response.writeHead(answered.status, { 'content-type': 'application/json; charset=utf-8' }).end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await deed(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
  return exchanges;
}

/** A service that repeats its responses. */
export interface Replay {
  readonly url: string;
  /** Environment for measuring a process in virtual time. */
  readonly env: Readonly<Record<string, string>>;
  /** Restarts the sequence of responses. */
  again(): Promise<void>;
  stop(): Promise<void>;
}

/** `latency`: milliseconds of virtual time for each request. */
export async function replay(exchanges: readonly Exchange[], latency: number): Promise<Replay> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-replay-'));
  const file = join(folder, 'exchanges.json');
  writeFileSync(file, JSON.stringify(exchanges));
  const child = fork(fileURLToPath(new URL('replay-process.mjs', import.meta.url)), [file]);
  const [{ url }] = (await once(child, 'message')) as [{ readonly url: string }];
  rmSync(folder, { recursive: true });
  return {
    url,
    env: {
      OCTAVO_BASE_URL: url,
      OCTAVO_TOKEN: 'replayed',
      OCTAVO_BENCH_LATENCY: String(latency),
      OCTAVO_BENCH_PORT: new URL(url).port,
    },
    async again() {
      child.send('again');
      await once(child, 'message');
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** A proxy between Octavo and a service, over real sockets, that cuts chosen writes. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Fate of a request: `pass`; `lost`: it takes effect and its response is lost; `reset`: the connection breaks before the
 * service sees it.
 */
export type Cut = 'pass' | 'lost' | 'reset';

/** A request to the proxy. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  /** Number of the write, from 0. */
  readonly index: number;
  readonly body: string;
}

/** A running proxy. */
export interface CuttingProxy {
  readonly url: string;
  /** Decides about writes; all pass by default. */
  cut: (request: ProxiedRequest) => Cut | Promise<Cut>;
  /** Decides about reads. */
  read: () => Cut;
  /** Called after a request took effect and before its response is passed on. */
  carriedOut: (request: ProxiedRequest) => void;
  /** Restarts the count at 0. */
  restart: () => void;
  close: () => Promise<void>;
}

/** Starts a proxy for the service at an address. */
export async function startProxy(target: string): Promise<CuttingProxy> {
  let writes = 0;
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/' } = incoming;
    const index = method === 'GET' ? -1 : writes++;
    handle(proxy, new URL(path, target), { incoming, outgoing, named: { method, path, index } }).catch(() =>
      incoming.socket.destroy(),
    );
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => 'pass',
    read: () => 'pass',
    carriedOut: () => {},
    restart: () => {
      writes = 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly named: Omit<ProxiedRequest, 'body'>;
}

async function handle(
  proxy: CuttingProxy,
  target: URL,
  { incoming, outgoing, named }: Exchange,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const about = { ...named, body: Buffer.concat(chunks).toString('utf8') };
  const cut = about.index < 0 ? proxy.read() : await proxy.cut(about);
  if (cut === 'reset') {
    incoming.socket.destroy();
    return;
  }
  const forwarded = request(target, {
    method: about.method,
    headers: { ...incoming.headers, host: target.host },
  });
  forwarded.end(Buffer.concat(chunks));
  const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
  const answer: Buffer[] = [];
  for await (const chunk of response) answer.push(chunk as Buffer);
  if (about.index >= 0) proxy.carriedOut(about);
  if (cut === 'lost') {
    incoming.socket.destroy();
    return;
  }
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  outgoing.end(Buffer.concat(answer));
}

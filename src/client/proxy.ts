/// <reference path="./undici-parts.d.ts" />
import type { Dispatcher as DispatcherType, Pool as PoolType, ProxyAgent as ProxyAgentType } from 'undici';
import apiConnect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

// Importing the whole undici package takes longer than a small plan. It patches these classes the same way.
Object.assign(Dispatcher.prototype, { connect: apiConnect });

/** Opens a tunnel through the proxy for each connection. */
export function openProxy(
  options: ProxyAgentType.Options & { readonly proxyTls: { readonly timeout: number } },
): DispatcherType {
  return new ProxyAgent({
    ...options,
    // Without this, a proxy that never opens the tunnel would be waited for as long as a response.
    clientFactory: (origin, given) =>
      proxyPool(origin, { ...given, headersTimeout: options.proxyTls.timeout }),
  });
}

/** The proxy accepted the connection, but did not open the tunnel. */
class TunnelTimeout extends Error {
  override readonly name = 'TunnelTimeout';
}

function proxyPool(origin: URL, options: PoolType.Options): Dispatcher {
  const pool = new Pool(origin, options);
  const open = pool.connect.bind(pool) as (to: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;
  const connect = async (to: Dispatcher.ConnectOptions) => {
    try {
      return await open(to);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      throw code === 'UND_ERR_HEADERS_TIMEOUT' ? new TunnelTimeout() : error;
    }
  };
  return Object.assign(pool, { connect }) as unknown as Dispatcher;
}

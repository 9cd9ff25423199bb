/** Connections to an HTTP proxy, which tell a tunnel that was never opened from a response that never came. */
import type { Dispatcher, Pool as PoolType } from 'undici';
import { Pool } from './undici.ts';

/** The proxy took the connection, and then did not open the tunnel. */
export class TunnelTimeout extends Error {
  override readonly name = 'TunnelTimeout';
}

/** A pool for `ProxyAgent`. */
export function proxyPool(origin: URL, options: PoolType.Options): Dispatcher {
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

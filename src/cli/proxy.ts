/** Chooses the proxy for a service from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as curl does. */
import { parseBaseUrl } from '../client/base-url.ts';
import { userError } from '../util/user-error.ts';

/** The proxy's address; undefined where none applies. Services on this machine are never reached through one. */
export function proxyFor(
  baseUrl: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { origin, loopback } = parseBaseUrl(baseUrl, { allowHttp: true });
  const { protocol, hostname, port } = new URL(origin);
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = lookUp(env, name);
  if (proxy === undefined || loopback || isExempt(lookUp(env, 'NO_PROXY'), hostname, port)) return undefined;
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw userError(
    'proxy',
    `${name} is not the address of an HTTP proxy`,
    'for example http://proxy.acme.dev:3128',
  );
}

function lookUp(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = env[name.toLowerCase()] ?? env[name];
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

/** `acme.dev` and `.acme.dev` mean the host and all below it; `host:port` that port alone; `*` everything. */
function isExempt(list: string | undefined, hostname: string, port: string): boolean {
  return (list ?? '').split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [host = '', only] = entry
      .toLowerCase()
      .replace(/^\*?\./, '')
      .split(':');
    if (host === '' || (only !== undefined && only !== port)) return false;
    return hostname === host || hostname.endsWith(`.${host}`);
  });
}

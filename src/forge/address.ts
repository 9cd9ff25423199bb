import { parseBaseUrl } from '../client/base-url.ts';
import { userError } from '../util/user-error.ts';

export interface ForgeAddress {
  /** Example: `https://api.github.com`. */
  readonly origin: string;
  /** Example: `/api/v4`. May be empty. */
  readonly prefix: string;
  readonly text: string;
}

/** `name`: source of the URL, for messages. Throws a DiagnosticError if no token may be sent there. */
export function parseForgeUrl(
  text: string,
  { name, allowHttp }: { readonly name: string; readonly allowHttp: boolean },
): ForgeAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const refuse = (why: string, help: string) => userError('forge-url', `${name} ${why}`, help);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refuse('is not an http(s) URL', 'for example https://github.acme.dev/api/v3');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refuse('has more than an address', 'leave out user names, queries and fragments');
  }
  const { loopback } = parseBaseUrl(url.origin, { allowHttp: true });
  if (url.protocol === 'http:' && !loopback && !allowHttp) {
    throw refuse(
      `would send the token to ${url.host} unencrypted`,
      'use https://, or set OCTAVO_ALLOW_HTTP=1 if the network is trusted',
    );
  }
  const prefix = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, prefix, text: `${url.origin}${prefix}` };
}

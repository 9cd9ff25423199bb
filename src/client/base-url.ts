/** Parses and normalizes the address of a service or a forge. Must not connect to it. */
import { isIP } from 'node:net';
import { DiagnosticError } from '../util/diagnostic.ts';

/** An origin and a path prefix. The prefix ends before `/v1`, without a trailing slash. */
export interface ServiceAddress {
  /** Example: `https://api.acme.dev`. */
  readonly origin: string;
  /** Example: `/gateway`. May be empty. */
  readonly prefix: string;
  readonly text: string;
  readonly loopback: boolean;
}

/**
 * Parses a base URL, the address before `/v1`; a trailing slash or `/v1` is removed. Plain http is allowed only for
 * loopback hosts, unless `allowHttp` is set, because the token is sent unencrypted. `name`: the source of the text, for messages.
 *
 * @throws DiagnosticError if the text is not such an address.
 */
export function parseBaseUrl(
  text: string,
  { allowHttp = false, name = 'the base URL' }: { readonly allowHttp?: boolean; readonly name?: string } = {},
): ServiceAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw refused(
      `${name} is not an http(s) URL`,
      withScheme(text) ?? 'pass the address before /v1, for example https://api.example.com',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(
      `${name} contains a user name or password`,
      'pass the address alone; set the token with its own variable, or in a token file',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw refused(`${name} contains a query or a fragment`, 'pass the address before /v1 and nothing else');
  }
  const loopback = isLoopback(url.hostname);
  if (url.protocol === 'http:' && !loopback && !allowHttp) {
    throw refused(
      `${name} would send the token to ${url.host} unencrypted`,
      'use https://, or set OCTAVO_ALLOW_HTTP=1 if the network is trusted',
    );
  }
  const prefix = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '');
  return { origin: url.origin, prefix, text: `${url.origin}${prefix}`, loopback };
}

/** Suggests the address with a scheme if only the scheme is missing. */
function withScheme(text: string): string | undefined {
  if (!/^[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$|^\[[\da-f:]+\](?::\d+)?$/i.test(text)) return undefined;
  const host = new URL(`http://${text}`).hostname;
  return `did you mean ${isLoopback(host) ? 'http' : 'https'}://${text}?`;
}

/** True for names and addresses that never leave this machine. */
function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
}

function refused(message: string, suggestion: string): DiagnosticError {
  return new DiagnosticError([{ severity: 'error', code: 'base-url', message, suggestion }]);
}

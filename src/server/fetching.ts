/**
 * Reads what requests point at, before their transaction begins: only http(s), only from loopback and the hosts that were
 * allowed, never redirected out of them, bounded in size and time.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

const maxBytes = 10 * 1024 * 1024;
const maxRedirects = 5;

/** What was read. */
export interface FetchedText {
  readonly type: 'text';
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** What came of a fetch. `code` is as specifications show it. */
type Fetched =
  | FetchedText
  | { readonly type: 'failed'; readonly code: 'FETCH_TIMEOUT' | 'FETCH_ERROR' }
  | { readonly type: 'not-allowed'; readonly code: 'FETCH_ERROR'; readonly reason: string };

/** Which hosts may be read, and for how long. */
export interface FetchRules {
  readonly allowed: readonly string[];
  /** True where this machine may be read. */
  readonly loopback: boolean;
  readonly timeoutMs: number;
}

const failed: Fetched = { type: 'failed', code: 'FETCH_ERROR' };

/** Fetches an address under the rules. Never throws. */
export async function fetchUnder(rules: FetchRules, address: string): Promise<Fetched> {
  const signal = AbortSignal.timeout(rules.timeoutMs);
  try {
    return await follow(rules, new URL(address), signal, 0);
  } catch {
    return signal.aborted ? { type: 'failed', code: 'FETCH_TIMEOUT' } : failed;
  }
}

async function follow(rules: FetchRules, url: URL, signal: AbortSignal, redirects: number): Promise<Fetched> {
  if (!(await mayRead(rules, url))) {
    const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
    const reason = isWeb
      ? `the service may not read from ${url.host}; see octavo serve --allow-fetch`
      : 'only http and https addresses are read';
    return { type: 'not-allowed', code: 'FETCH_ERROR', reason };
  }
  const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: '*/*' } });
  const location = response.headers.get('location');
  if (response.status >= 300 && response.status < 400 && location !== null) {
    await response.body?.cancel();
    return redirects >= maxRedirects ? failed : follow(rules, new URL(location, url), signal, redirects + 1);
  }
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    return failed;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) return failed;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return { type: 'text', text: bytes.toString('utf8'), bytes };
}

async function mayRead(rules: FetchRules, url: URL): Promise<boolean> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (rules.allowed.includes(host) || rules.allowed.includes(url.host)) return true;
  if (!rules.loopback || (host !== 'localhost' && isIP(host) === 0)) return false;
  const addresses = isIP(host) === 0 ? (await lookup(host, { all: true })).map((one) => one.address) : [host];
  return addresses.every((one) => one === '::1' || /^127\./.test(one));
}

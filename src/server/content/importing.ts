/** Turns fetched imports into pages and files: Markdown, HTML, or a zip of both. Pure except for new ids. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Unzip, UnzipInflate } from 'fflate';
import { decoded } from '../../util/href.ts';
import type { Context, Imported } from '../context.ts';
import { freeSlug, slugOf } from '../store/places.ts';
import type { RevisionRow, StoredFile, StoredPage } from '../store/rows.ts';
import { markdownOf } from './html.ts';

const nothing: Imported = { pages: [], files: [], imported: 0, total: 0 };

interface ImportSource {
  readonly name: string;
  readonly text: string;
}

const readers: Readonly<
  Record<string, (context: Context, from: ImportSource, bytes: Uint8Array) => Imported>
> = {
  markdown: single,
  html: (context, { name, text }) => single(context, { name, text: markdownOf(text) }),
  website: (context, { name, text }) => single(context, { name, text: markdownOf(text) }),
  zip: (context, _from, bytes) => fromArchive(context, bytes),
};

export function isImported(source: string): boolean {
  return Object.hasOwn(readers, source);
}

export function importedFrom(context: Context, source: string, url: string, fetched: FetchedText): Imported {
  const from = { name: decoded(new URL(url).pathname.split('/').at(-1) ?? ''), text: fetched.text };
  return readers[source]?.(context, from, fetched.bytes) ?? nothing;
}

/** Appends the import to the content; page paths remain unique. */
export function withImported(revision: RevisionRow, imported: Imported) {
  const taken = new Set(revision.pages.map((page) => page.slug));
  const added = imported.pages.map((page) => {
    const slug = freeSlug(page.slug, (one) => taken.has(one));
    taken.add(slug);
    return { ...page, slug, path: slug };
  });
  return { pages: [...revision.pages, ...added], files: [...revision.files, ...imported.files] };
}

function single(context: Context, source: ImportSource): Imported {
  return { pages: [pageOf(context, source)], files: [], imported: 1, total: 1 };
}

function fromArchive(context: Context, bytes: Uint8Array): Imported {
  const entries = unzip(bytes);
  if (entries === undefined) return { ...nothing, total: 1 };
  const pages: StoredPage[] = [];
  const files: StoredFile[] = [];
  for (const { name, bytes: content } of entries) {
    const text = Buffer.from(content).toString('utf8');
    if (/\.(md|markdown)$/i.test(name)) pages.push(pageOf(context, { name, text }));
    else if (/\.html?$/i.test(name)) pages.push(pageOf(context, { name, text: markdownOf(text) }));
    else {
      const contentType =
        contentTypes[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';
      files.push({
        id: context.id('file'),
        name: name.split('/').at(-1) ?? name,
        contentType,
        size: content.length,
      });
    }
  }
  return { pages, files, imported: pages.length + files.length, total: entries.length };
}

const contentTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  txt: 'text/plain',
  json: 'application/json',
};

function pageOf(context: Context, { name, text }: ImportSource): StoredPage {
  const heading = /^#\s+(.+)$/m.exec(text)?.[1]?.trim();
  const file = name
    .split('/')
    .at(-1)
    ?.replace(/\.[^.]*$/, '');
  const title = (heading ?? file ?? '').slice(0, 100) || 'Untitled';
  const slug = slugOf(title);
  return context.page({ title, slug, path: slug, markdown: text });
}

const maxEntries = 1000;
const maxUnpacked = 20 * 1024 * 1024;

/** Chunk size in bytes: sizes in headers are not trusted, so limits are checked between chunks. */
const pieceLength = 4096;

/** Skips folders; undefined if the archive is invalid or unpacks to too much. */
export function unzip(bytes: Uint8Array) {
  const files: { readonly name: string; readonly pieces: Uint8Array[]; isWhole: boolean }[] = [];
  let unpacked = 0;
  const stream = new Unzip((file) => {
    if (files.length === maxEntries) throw new Error('too many entries');
    const entry = { name: file.name, pieces: [] as Uint8Array[], isWhole: false };
    files.push(entry);
    file.ondata = (error, piece, isLast) => {
      if (error !== null) throw error;
      unpacked += piece.length;
      if (unpacked > maxUnpacked) throw new Error('unpacks to too much');
      entry.pieces.push(piece);
      entry.isWhole = isLast;
    };
    file.start();
  });
  stream.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length; at += pieceLength)
      stream.push(bytes.subarray(at, at + pieceLength), at + pieceLength >= bytes.length);
  } catch {
    return undefined;
  }
  if (files.length === 0 || files.some(({ isWhole }) => !isWhole)) return undefined;
  return files
    .filter(({ name }) => !name.endsWith('/'))
    .map(({ name, pieces }) => ({ name, bytes: Buffer.concat(pieces) }));
}

const maxBytes = 10 * 1024 * 1024;
const maxRedirects = 5;

interface FetchedText {
  readonly type: 'text';
  readonly text: string;
  readonly bytes: Uint8Array;
}

type Fetched =
  | FetchedText
  | { readonly type: 'failed'; readonly code: 'FETCH_TIMEOUT' | 'FETCH_ERROR' }
  | { readonly type: 'not-allowed'; readonly code: 'FETCH_ERROR'; readonly reason: string };

export interface FetchRules {
  readonly allowed: readonly string[];
  readonly loopback: boolean;
  readonly timeoutMs: number;
}

const failed: Fetched = { type: 'failed', code: 'FETCH_ERROR' };

/** Errors are returned, never thrown. */
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

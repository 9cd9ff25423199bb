/** Makes pages and files of what an import fetched: Markdown, HTML, or a zip of both. Pure but for new ids. */
import { unzip } from './archive.ts';
import type { RevisionRow, StoredFile, StoredPage } from './content-rows.ts';
import type { Context } from './context.ts';
import type { FetchedText } from './fetching.ts';
import { markdownOf } from './html.ts';
import { freeSlug, slugOf } from './places.ts';

/** What an import brought. `total` counts what it found, imported or not. */
export interface Imported {
  readonly pages: readonly StoredPage[];
  readonly files: readonly StoredFile[];
  readonly imported: number;
  readonly total: number;
}

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

/** True when this service imports from sources of that kind. */
export function isImported(source: string): boolean {
  return Object.hasOwn(readers, source);
}

/** The pages and files in what was fetched, as the named source means it. */
export function importedFrom(
  context: Context,
  { source, url, fetched }: { source: string; url: string; fetched: FetchedText },
): Imported {
  const from = { name: decodedName(url), text: fetched.text };
  return readers[source]?.(context, from, fetched.bytes) ?? nothing;
}

/** Content with what an import brought at its end; page paths stay unique. */
export function withImported(
  revision: RevisionRow,
  imported: Imported,
): Pick<RevisionRow, 'pages' | 'files'> {
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
  return {
    id: context.id('page'),
    title,
    slug,
    path: slug,
    type: 'document',
    markdown: text,
    createdAt: context.at,
    updatedAt: context.at,
    pages: [],
  };
}

function decodedName(url: string): string {
  const name = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

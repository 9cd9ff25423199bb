import { defined } from '../../util/defined.ts';
import type { Context } from '../context.ts';
import { type PageQuery, pageOfList } from '../paging.ts';
import type { RevisionRow, SpaceRow, StoredFile, StoredPage } from '../store/rows.ts';
import { spaceView } from '../views/content.ts';
import { orgView } from '../views/people.ts';
import { fileView } from '../views/revision.ts';
import { flatPages } from './search.ts';

type LinkStatus = 'ok' | 'broken' | 'in-app';

interface Link {
  readonly id: string;
  readonly page: StoredPage;
  readonly href: string;
  readonly status: LinkStatus;
  readonly kind: 'url' | 'file' | 'page' | 'space';
  readonly file?: StoredFile;
  /** Another space that the URL opens in the app, if the reader may see it. */
  readonly space?: SpaceRow;
}

/** The targets of Markdown links and images, in order, in linear time. */
export function hrefsOf(markdown: string): string[] {
  const text = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(\s*<?([^\s)>[\]]{1,2048})>?(?:\s+"[^"]*")?\s*\)/g)].map(
    (match) => match[1] ?? '',
  );
}

function targetsIn(revision: RevisionRow) {
  const files = new Map<string, StoredFile>();
  for (const file of revision.files.toReversed()) files.set(file.id, file).set(`/${file.name}`, file);
  const pages = flatPages(revision.pages).flatMap(({ id, path }) => [id, `/${path}`]);
  return { files, pages: new Set(pages) };
}

function classify(
  context: Context,
  { files, pages }: ReturnType<typeof targetsIn>,
  link: Pick<Link, 'id' | 'page' | 'href'>,
): Link {
  const { page, href } = link;
  if (href.startsWith(`${context.base}/app/`)) {
    const id = /^[^/]+\/s\/([^/?#]+)/.exec(href.slice(`${context.base}/app/`.length))?.[1];
    const space = id === undefined ? undefined : context.store.get('space', id);
    const isSeen = space !== undefined && space.deletedAt === undefined && context.rankOn(space) > 0;
    return { ...link, status: 'in-app', ...(isSeen ? { kind: 'space', space } : { kind: 'url' }) };
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('//'))
    return { ...link, kind: 'url', status: 'ok' };
  const path = href.replace(/[?#].*$/, '');
  if (path === '') return { ...link, kind: 'page', status: 'ok' };
  const file = files.get(path) ?? files.get(`/${path.split('/').at(-1)}`);
  if (file !== undefined) return { ...link, kind: 'file', status: 'ok', file };
  const found = pages.has(path) || pages.has(`/${resolvePath(page.path, path)}`);
  return { ...link, kind: 'page', status: found ? 'ok' : 'broken' };
}

function resolvePath(from: string, href: string): string {
  const parts = href.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const part of href.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts
    .join('/')
    .replace(/(^|\/)(README|index)\.md$/i, '')
    .replace(/\.md$/i, '');
}

/** With `changeRequest`, broken links count as the change request's. */
export interface LinkListOptions {
  readonly space: SpaceRow;
  readonly revision: RevisionRow;
  readonly pages: readonly StoredPage[];
  readonly query: PageQuery & { readonly status?: LinkStatus | undefined };
  readonly changeRequest?: boolean;
}

export function linksOfPages(context: Context, options: LinkListOptions) {
  const { space, revision, query } = options;
  const all = linksIn(context, revision, flatPages(options.pages));
  const broken = all.filter((link) => link.status === 'broken').length;
  const wanted = query.status === undefined ? all : all.filter((link) => link.status === query.status);
  const place = placeOf(context, space);
  const page = pageOfList(context, wanted, {
    of: `${revision.id} ${options.pages.map((one) => one.id).join(' ')}`,
    query,
    key: (_link, index) => [index],
    view: (link) => ({
      status: link.status,
      relation: 'reference',
      targetReference: {
        kind: link.kind,
        ...(link.kind === 'url' ? {} : link.space === undefined ? place : placeOf(context, link.space)),
        ...defined({ file: link.file && fileView(context, link.file, { metadata: true }) }),
      },
      locationReferences: [{ kind: 'page', ...place }],
    }),
  });
  const stats = {
    total: all.length,
    broken: { total: broken, changeRequest: options.changeRequest ? broken : 0 },
  };
  return { ...page, stats };
}

export function backlinksOfFile(
  context: Context,
  options: { space: SpaceRow; revision: RevisionRow; file: StoredFile; query: PageQuery },
) {
  const { space, revision, file, query } = options;
  const links = linksIn(context, revision, flatPages(revision.pages)).filter(
    (link) => link.file?.id === file.id,
  );
  const place = placeOf(context, space);
  return pageOfList(context, links, {
    of: `${revision.id} ${file.id}`,
    query,
    key: (_link, index) => [index],
    view: () => ({ kind: 'page', ...place, versionContext: { type: 'revision', revision: revision.id } }),
  });
}

function linksIn(context: Context, revision: RevisionRow, pages: readonly StoredPage[]): Link[] {
  const targets = targetsIn(revision);
  return pages.flatMap((page) =>
    hrefsOf(page.markdown).map((href, at) =>
      classify(context, targets, { page, href, id: `${page.id}/${at}` }),
    ),
  );
}

function placeOf(context: Context, space: SpaceRow) {
  const org = context.store.get('org', space.org);
  return {
    organization: org === undefined ? undefined : orgView(context, org),
    space: spaceView(context, space),
  };
}

import type { OperationOutput } from '../../contract/index.ts';
import type { redirects } from '../../contract/redirects.ts';
import { defined } from '../../util/defined.ts';
import type { Context } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { compareKeys, pageOfList } from '../paging.ts';
import type { RedirectDestination, RedirectRow, SiteRow } from '../store/rows.ts';
import { siteUrl } from '../views/content.ts';

export function redirectView(row: RedirectRow): OperationOutput<'redirects.update'> {
  const { id, source, draft, captureWildcard, permanent, destination, createdAt, updatedAt } = row;
  const own = { id, source, draft, captureWildcard, permanent, destination, createdAt, updatedAt };
  return { object: 'site-redirect', ...own };
}

function demandTarget(context: Context, site: SiteRow, destination: RedirectDestination): void {
  if (destination.kind === 'site-section') context.onSite('section', site, destination.siteSectionId);
  else if (destination.kind !== 'external') context.onSite('siteSpace', site, destination.siteSpaceId);
}

function makeRoom(context: Context, { id, site, source, draft }: RedirectRow): void {
  const isSame = (one: RedirectRow) => one.id !== id && one.source === source && one.draft === draft;
  const others = context.store.children('redirect', site).filter(isSame);
  const way = context.variants['redirect-source'];
  if (others.length === 0 || way === 'both') return;
  if (way === '409') throw conflict('body.source: already redirected');
  for (const other of others) context.store.remove('redirect', other.id);
}

export function dropRedirectsTo(context: Context, site: string, targets: ReadonlySet<string>): void {
  if (context.variants['redirect-target'] === 'dangles') return;
  for (const { id, destination } of context.store.children('redirect', site)) {
    if (destination.kind === 'external') continue;
    const isSection = destination.kind === 'site-section';
    if (targets.has(isSection ? destination.siteSectionId : destination.siteSpaceId))
      context.store.remove('redirect', id);
  }
}

/** The exact source, else the longest one that ends with a star. */
function find(context: Context, site: SiteRow, path: string): [RedirectRow, string] | undefined {
  const own = path.length > 1 ? path.replace(/\/$/, '') : path;
  const live = context.store.children('redirect', site.id).filter(({ draft }) => !draft);
  const exact = live.find(({ source }) => source.replace(/\/$/, '') === own);
  if (exact !== undefined) return [exact, ''];
  const [widest] = live
    .filter(({ source }) => source.endsWith('*') && own.startsWith(source.slice(0, -1)))
    .sort((one, other) => other.source.length - one.source.length);
  return widest && [widest, widest.captureWildcard ? own.slice(widest.source.length - 1) : ''];
}

function addressOf({ store }: Context, site: SiteRow, destination: RedirectDestination): string | undefined {
  if (destination.kind === 'external') return destination.url;
  if (destination.kind === 'site-section') {
    const section = store.get('section', destination.siteSectionId);
    return section && siteUrl(site) + section.path;
  }
  const row = store.get('siteSpace', destination.siteSpaceId);
  const section = row?.section === null || row === undefined ? undefined : store.get('section', row.section);
  return row && siteUrl(site) + [...(section === undefined ? [] : [section.path]), row.path].join('/');
}

export const redirectHandlers: HandlersOf<typeof redirects> = {
  'redirects.list': (context, { params, query }) => {
    const of = context.site(params, 'read').id;
    const { draft = false, search = '', orderBy = 'createdAt' } = query;
    const own = context.store
      .children('redirect', of)
      .filter((row) => row.draft === draft && row.source.includes(search));
    const key = (row: RedirectRow) => [row[orderBy] ?? row.createdAt, row.order];
    const newestFirst = orderBy === 'source' ? 1 : -1;
    const rows = own.sort((one, other) => newestFirst * compareKeys(key(one), key(other)));
    return pageOfList(context, rows, { of, query, key, view: redirectView, descending: newestFirst < 0 });
  },

  'redirects.create': (context, { params, body }) => {
    const site = context.site(params, 'create');
    const { source, destination, captureWildcard = false, draft = false, permanent = false } = body;
    demandTarget(context, site, destination);
    const row: RedirectRow = {
      ...context.fresh('redir', site.org),
      site: site.id,
      source,
      draft,
      captureWildcard,
      permanent,
      destination,
    };
    makeRoom(context, row);
    return redirectView(context.store.put('redirect', row));
  },

  'redirects.update': (context, { params, body }) => {
    const [site, row] = context.siteObject('redirect', params);
    if (body.destination !== undefined) demandTarget(context, site, body.destination);
    const changed: RedirectRow = { ...row, ...defined(body), updatedAt: context.at };
    makeRoom(context, changed);
    return redirectView(context.store.put('redirect', changed));
  },

  'redirects.delete': (context, { params }) => {
    const [, row] = context.siteObject('redirect', params);
    context.store.remove('redirect', row.id);
  },

  'redirects.resolve': (context, { params, query }) => {
    const site = context.site(params, 'read');
    const [row, rest] = find(context, site, query.source) ?? [];
    if (row === undefined) throw notFound('site redirect');
    const address = addressOf(context, site, row.destination);
    if (address === undefined) throw notFound('target of the redirect');
    const target = rest === '' || rest === undefined ? address : `${address.replace(/\/$/, '')}/${rest}`;
    return { redirect: redirectView(row), target };
  },
};

/** Handlers of share links (API document, "Share links"). */
import type { shareLinks } from '../../contract/share-links.ts';
import { defined } from '../../util/defined.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfRows } from '../paging.ts';
import type { ShareLinkRow, SiteRow } from '../site-rows.ts';
import { shareLinkView } from '../views/site.ts';

function link(context: Context, params: Readonly<Record<string, string>>): [SiteRow, ShareLinkRow] {
  const site = context.site(params, 'create');
  const row = context.store.get('shareLink', params.shareLinkId ?? '');
  if (row === undefined || row.site !== site.id) throw notFound('share link');
  return [site, row];
}

/** Handlers of share links. */
export const shareLinkHandlers: HandlersOf<typeof shareLinks> = {
  'shareLinks.list': (context, { params, query }) => {
    const site = context.site(params, 'create');
    return pageOfRows(context, 'shareLink', site.id, {
      query,
      view: (row) => shareLinkView(site, row),
    });
  },

  'shareLinks.create': (context, { params, body }) => {
    const site = context.site(params, 'create');
    const row: ShareLinkRow = {
      id: context.id('share'),
      org: site.org,
      site: site.id,
      name: body.name,
      active: true,
      createdAt: context.at,
      token: context.secret('k'),
      order: context.store.next(),
    };
    context.store.put('shareLink', row);
    return shareLinkView(site, row);
  },

  'shareLinks.delete': (context, { params }) => {
    const [, row] = link(context, params);
    context.store.remove('shareLink', row.id);
  },

  'shareLinks.update': (context, { params, body }) => {
    const [site, row] = link(context, params);
    const changed: ShareLinkRow = { ...row, ...defined(body) };
    context.store.put('shareLink', changed);
    return shareLinkView(site, changed);
  },
};

import type { OperationOutput } from '../../contract/index.ts';
import { picked } from '../../util/picked.ts';
import type { Context } from '../context.ts';
import type { GroupRow, LinkRow, SectionRow, ShareLinkRow, SiteRow, SiteSpaceRow } from '../store/rows.ts';
import { itemsOf, type SiteItem } from '../structure.ts';
import { newer, publishedUrl, siteSpaceUrl, siteUrl, spaceView } from './content.ts';

export function siteView(context: Context, row: SiteRow): OperationOutput<'sites.get'> {
  return {
    object: 'site',
    ...picked(row, 'id', 'type', 'title', 'basename'),
    proxy: row.proxy === undefined ? undefined : proxyView(context, row, row.proxy),
    ...picked(row, 'visibility', 'published', 'siteSpaces', 'createdAt'),
    adaptiveContent: row.adaptiveContent === undefined ? undefined : { enabled: row.adaptiveContent },
    ...(row.gitSync === undefined
      ? {}
      : newer(context, { gitSync: { installationStatus: 'active', ...row.gitSync } })),
    ...newer(context, { defaultLevel: row.defaultLevel === undefined ? 'inherit' : row.defaultLevel }),
    urls: {
      location: `${context.base}/v1/orgs/${row.org}/sites/${row.id}`,
      app: `${context.base}/app/${row.org}/sites/${row.id}`,
      published: row.published ? siteUrl(row) : undefined,
    },
  };
}

/** The proxy in two parts, split at the first slash; or whole, with the site's URL as target. */
function proxyView(context: Context, site: SiteRow, proxy: string): { origin: string; target: string } {
  if (context.variants.proxy === 'whole') return { origin: proxy, target: siteUrl(site) };
  const at = proxy.indexOf('/');
  return { origin: proxy.slice(0, at), target: proxy.slice(at) };
}

export function sectionView(context: Context, site: SiteRow, row: SectionRow) {
  return {
    object: 'site-section',
    ...picked(row, 'id', 'title', 'description', 'default', 'path', 'condition'),
    sectionGroup: row.group ?? undefined,
    icon: row.icon,
    siteSpaces: context.store
      .children('siteSpace', row.id)
      .map((child) => siteSpaceView(context, site, child)),
    ...newer(context, {
      draft: row.draft ?? false,
      localizedTitle: row.localizedTitle,
      localizedDescription: row.localizedDescription,
    }),
    urls: { published: publishedUrl(context, site, [row.path]) },
  };
}

export function groupView(
  context: Context,
  site: SiteRow,
  row: GroupRow,
): OperationOutput<'sectionGroups.update'> {
  const sections = context.store
    .children('section', row.id)
    .map((section) => sectionView(context, site, section));
  return {
    object: 'site-section-group',
    ...picked(row, 'id', 'title', 'icon'),
    sections,
    ...newer(context, {
      draft: row.draft ?? false,
      sectionGroup: row.group ?? undefined,
      localizedTitle: row.localizedTitle,
      children: itemsOf(context.store, row.id).map((item) => itemView(context, site, item)),
    }),
  };
}

export function linkView({ org: _org, site: _site, group, order: _order, ...row }: LinkRow) {
  return {
    object: 'site-external-link',
    ...row,
    draft: row.draft ?? false,
    sectionGroup: group ?? undefined,
  };
}

function itemView(context: Context, site: SiteRow, item: SiteItem) {
  if (item.type === 'section') return sectionView(context, site, item.row);
  return item.type === 'group' ? groupView(context, site, item.row) : linkView(item.row);
}

/**
 * The whole structure of a site, including entries that visitors cannot see; the site-spaces of the root only if the site has no
 * sections.
 */
export function wholeStructureView(context: Context, site: SiteRow): OperationOutput<'structure.get'> {
  const items = itemsOf(context.store, site.id).map((item) => itemView(context, site, item));
  const root = context.store.children('siteSpace', site.id).map((row) => siteSpaceView(context, site, row));
  const [type, structure] = items.length === 0 ? ['siteSpaces', root] : ['sections', items];
  return { type, structure } as OperationOutput<'structure.get'>;
}

/** Its title is the space's. A caller without access to the space sees only the entry, with its path as title. */
export function siteSpaceView(context: Context, site: SiteRow, row: SiteSpaceRow) {
  const stored = context.store.get('space', row.space);
  const space = stored !== undefined && context.finds(stored) ? stored : undefined;
  return {
    object: 'site-space',
    ...picked(row, 'id', 'path'),
    section: row.section ?? undefined,
    space: space === undefined ? undefined : spaceView(context, space),
    title: space?.title ?? row.path,
    ...picked(row, 'default', 'condition'),
    ...newer(context, { draft: row.draft ?? false, hidden: row.hidden ?? false, pageId: row.pageId }),
    hasAdvancedCustomizationFeature: site.type === 'ultimate',
    urls: { published: siteSpaceUrl(context, site, row) },
  };
}

export function shareLinkView(site: SiteRow, row: ShareLinkRow): OperationOutput<'shareLinks.update'> {
  return {
    object: 'share-link',
    ...picked(row, 'id', 'createdAt', 'name', 'active'),
    urls: { published: `${siteUrl(site)}${row.token}/` },
  };
}

/**
 * Sections and groups in one order, or the site-spaces of a site without sections. Deleted spaces are not published, and neither are
 * sections and groups that only contain those.
 */
export function structureView(context: Context, site: SiteRow) {
  const { store } = context;
  const isLive = (row: SiteSpaceRow) => store.get('space', row.space)?.deletedAt === undefined;
  if (store.countOwned('section', site.id) === 0) {
    const siteSpaces = store.children('siteSpace', site.id).filter(isLive);
    return { type: 'siteSpaces', structure: siteSpaces.map((row) => siteSpaceView(context, site, row)) };
  }
  const published = (row: SectionRow) => {
    const inner = store.children('siteSpace', row.id).filter(isLive);
    const siteSpaces = inner.map((child) => siteSpaceView(context, site, child));
    return inner.length === 0 ? [] : [{ ...sectionView(context, site, row), siteSpaces }];
  };
  type Entry = ReturnType<typeof groupView> | ReturnType<typeof sectionView>;
  const structure = itemsOf(store, site.id).flatMap((entry): Entry[] => {
    if (entry.type === 'link') return [];
    if (entry.type === 'section') return published(entry.row);
    const sections = store.children('section', entry.id).flatMap(published);
    return sections.length === 0 ? [] : [{ ...groupView(context, site, entry.row), sections }];
  });
  return { type: 'sections', structure };
}

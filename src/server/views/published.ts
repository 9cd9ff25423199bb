/** Published addresses: of sites, of what is on them, and of spaces. Those of share-link sites take a share key. */
import type { Context } from '../context.ts';
import type { SpaceRow } from '../rows.ts';
import type { SectionRow, SiteRow, SiteSpaceRow } from '../site-rows.ts';

/** The address of a site, published or not, with a slash at the end. */
export function siteUrl(site: SiteRow): string {
  return `https://${site.org.replaceAll('_', '-')}.docs.example/${encodeURIComponent(site.basename ?? site.id)}/`;
}

/** The address of something on a site by its path; undefined where the caller's request opens none. */
export function publishedUrl(context: Context, site: SiteRow, path: readonly string[]): string | undefined {
  if (!site.published) return undefined;
  const rest = path.map(encodeURIComponent).join('/');
  if (site.visibility !== 'share-link') return siteUrl(site) + rest;
  const link = context.shareLink;
  return link?.site === site.id ? `${siteUrl(site)}${link.token}/${rest}` : undefined;
}

/** The address of a site-space. */
export function siteSpaceUrl(context: Context, site: SiteRow, row: SiteSpaceRow): string | undefined {
  const section: SectionRow | undefined =
    row.section === null ? undefined : context.store.get('section', row.section);
  return publishedUrl(context, site, section === undefined ? [row.path] : [section.path, row.path]);
}

/** Where a space is published, and for whom. */
export interface Publication {
  readonly visibility: string | undefined;
  readonly urls: { readonly published?: string; readonly public?: string };
}

/** Where a space is published: the first address that the caller's request opens, and the visibility of its site. */
export function publicationOf(context: Context, row: SpaceRow): Publication {
  return context.publication(row.id, () => findPublication(context, row));
}

function findPublication(context: Context, row: SpaceRow): Publication {
  let visibility: string | undefined;
  for (const siteSpace of context.store.tagged('siteSpace', row.id)) {
    const site = context.store.get('site', siteSpace.site);
    if (site?.published !== true) continue;
    visibility ??= site.visibility;
    const published = row.deletedAt === undefined ? siteSpaceUrl(context, site, siteSpace) : undefined;
    if (published === undefined) continue;
    const open = site.visibility === 'public' || site.visibility === 'unlisted';
    return { visibility, urls: open ? { published, public: published } : { published } };
  }
  return { visibility, urls: {} };
}

/** What the store keeps of sites and their structure, and how it files them. */
import type { Columns, Row } from './rows.ts';

/** A site; `siteSpaces` is kept in step with the site-spaces that it holds. */
export interface SiteRow extends Row {
  type: string;
  title: string;
  visibility: 'public' | 'unlisted' | 'share-link' | 'visitor-auth';
  basename?: string;
  proxy?: string;
  published: boolean;
  createdAt: string;
  adaptiveContent?: boolean;
  siteSpaces: number;
}

/** A section; at the top level of its site, or in `group`. */
export interface SectionRow extends Row {
  site: string;
  group: string | null;
  title: string;
  path: string;
  description?: string;
  condition?: string;
  icon?: string;
  default: boolean;
}

/** A group of sections at the top level of its site. */
export interface GroupRow extends Row {
  site: string;
  title: string;
  icon?: string;
}

/** A space on a site; in `section`, or at the root of a site without sections. */
export interface SiteSpaceRow extends Row {
  site: string;
  section: string | null;
  space: string;
  path: string;
  condition?: string;
  default: boolean;
}

/** A share link; `token` makes its secret URL. */
export interface ShareLinkRow extends Row {
  site: string;
  name: string;
  active: boolean;
  createdAt: string;
  token: string;
}

/** The adaptive schema of a site: `id` is the site's. */
interface AdaptiveSchemaRow extends Row {
  jsonSchema: Record<string, unknown>;
  updatedAt: string;
}

/** All kinds of rows that belong to sites. */
export interface SiteRows {
  site: SiteRow;
  section: SectionRow;
  group: GroupRow;
  siteSpace: SiteSpaceRow;
  shareLink: ShareLinkRow;
  adaptiveSchema: AdaptiveSchemaRow;
}

/** Under what the rows of sites are filed. */
export const siteColumns: { readonly [K in keyof SiteRows]: (row: SiteRows[K]) => Columns } = {
  site: (row) => ({
    parent: row.org,
    text: row.title.toLowerCase(),
    tag: row.published ? 'published' : 'unpublished',
    ...(row.basename === undefined ? {} : { scope: row.org, key: row.basename }),
  }),
  section: (row) => ({ parent: row.group ?? row.site, owner: row.site, scope: row.site, key: row.path }),
  group: (row) => ({ parent: row.site }),
  siteSpace: (row) => ({
    parent: row.section ?? row.site,
    owner: row.site,
    tag: row.space,
    scope: row.section ?? row.site,
    key: row.path,
  }),
  shareLink: (row) => ({ parent: row.site, scope: 'share', key: row.token }),
  adaptiveSchema: (row) => ({ parent: row.id }),
};

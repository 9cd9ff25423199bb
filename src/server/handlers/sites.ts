import { Ajv } from 'ajv';
import { once } from '../../contract/once.ts';
import type { shareLinks } from '../../contract/share-links.ts';
import type { sites } from '../../contract/sites.ts';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import { sitesSeenBy } from '../access.ts';
import { createSpace } from '../content/content.ts';
import { type Context, randomSecret } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfRows } from '../paging.ts';
import type { Level, SiteRow, StoredPage } from '../store/rows.ts';
import { addSiteSpace, deleteSite, makeDefaultSection, makeDefaultSiteSpace } from '../structure.ts';
import { shareLinkView, siteView, structureView } from '../views/site.ts';
import { publishedCustomization } from './customization.ts';

/** Created on first use: the first check compiles the schema of schemas, and checked schemas are not kept. */
const metaSchemas = once(() => new Ajv({ strict: false, allErrors: false, logger: false }));

function demandSchema(jsonSchema: Record<string, unknown>): void {
  if (jsonSchema.type !== 'object') throw invalid('body.jsonSchema: type must be "object"');
  const { $schema } = jsonSchema;
  if ($schema !== undefined && !/^http:\/\/json-schema\.org\/draft-07\/schema#?$/.test(String($schema))) {
    throw invalid('body.jsonSchema: $schema must name draft-07');
  }
  const ajv = metaSchemas();
  if (ajv.validateSchema(jsonSchema) !== true) {
    throw invalid(`body.jsonSchema: ${ajv.errorsText(ajv.errors, { dataVar: 'jsonSchema' })}`);
  }
}

export function spaceForSite(context: Context, org: string, id: string) {
  const space = context.space(id, 'read');
  if (space.org !== org) throw notFound('space');
  return space;
}

/** Sets the section first, because the site-space must be in the default one. */
function applyDefaults(
  context: Context,
  site: SiteRow,
  body: { defaultSiteSpace?: string | undefined; defaultSiteSection?: string | undefined },
): void {
  if (body.defaultSiteSection !== undefined) {
    makeDefaultSection(context.store, context.onSite('section', site, body.defaultSiteSection));
  }
  if (body.defaultSiteSpace === undefined) return;
  const siteSpace = context.onSite('siteSpace', site, body.defaultSiteSpace);
  if (siteSpace.section !== null && context.store.get('section', siteSpace.section)?.default !== true) {
    throw conflict('body.defaultSiteSpace: not at the root or in the default section');
  }
  makeDefaultSiteSpace(context.store, siteSpace);
}

export const siteHandlers: HandlersOf<typeof sites> = {
  'sites.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', 'read');
    const space = query.space === undefined ? undefined : context.store.get('space', query.space);
    if (query.space !== undefined && (space === undefined || !context.finds(space))) {
      return { items: [], count: 0 };
    }
    const member = context.memberOf(org.id);
    return pageOfRows(context, 'site', org.id, {
      query,
      slice: defined({
        seen: member && sitesSeenBy(context, member),
        space: query.space,
        text: query.title,
        tag: query.published === undefined ? undefined : query.published ? 'published' : 'unpublished',
      }),
      view: (row) => siteView(context, row),
    });
  },

  'sites.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'create');
    const row = context.store.put('site', {
      ...context.fresh('site', org.id),
      type: body.type ?? (context.form === '2026' ? 'ultimate' : 'basic'),
      title: body.title ?? 'Untitled site',
      visibility: body.visibility ?? 'public',
      published: false,
      siteSpaces: 0,
    });
    if (Array.isArray(body.spaces)) {
      for (const id of body.spaces) addSiteSpace(context, row, null, spaceForSite(context, org.id, id));
    } else if (body.spaces !== undefined) {
      const pages = body.spaces === 'sample' ? samplePages(context) : [];
      const space = createSpace(context, { org: org.id, parent: null, title: row.title.slice(0, 50), pages });
      addSiteSpace(context, row, null, space);
    }
    return siteView(context, context.store.get('site', row.id) ?? row);
  },

  'sites.get': (context, { params }) => siteView(context, context.site(params, 'read')),

  'sites.delete': (context, { params }) => {
    deleteSite(context.store, context.site(params, 'admin'));
  },

  'sites.update': (context, { params, body }) => {
    const row = context.site(params, 'create');
    // Otherwise, anyone who sets levels could raise their own.
    const { defaultLevel: was = 'inherit' } = row;
    const { defaultLevel: is = was } = body as { readonly defaultLevel?: Level };
    if (is !== was) context.site(params, 'admin');
    const { defaultSiteSpace, defaultSiteSection, adaptiveContent, proxy, ...fields } = body;
    const { proxy: oldProxy, ...rest } = row;
    const newProxy = proxy === undefined ? oldProxy : (proxy ?? undefined);
    const changed: SiteRow = {
      ...rest,
      ...defined({ ...fields, proxy: newProxy, adaptiveContent: adaptiveContent?.enabled }),
    };
    if (context.store.rival('site', changed) !== undefined) throw conflict('the basename is already used');
    context.store.put('site', changed);
    applyDefaults(context, changed, { defaultSiteSpace, defaultSiteSection });
    return siteView(context, changed);
  },

  'sites.getAdaptiveSchema': (context, { params }) => {
    const site = context.site(params, 'read');
    const row = context.store.get('adaptiveSchema', site.id);
    if (row === undefined) throw notFound('adaptive schema');
    return { object: 'site-adaptive-schema', ...picked(row, 'jsonSchema', 'updatedAt') };
  },

  'sites.putAdaptiveSchema': (context, { params, body }) => {
    const site = context.site(params, 'create');
    demandSchema(body.jsonSchema);
    const own = { jsonSchema: body.jsonSchema, updatedAt: context.at };
    context.store.put('adaptiveSchema', { id: site.id, org: site.org, ...own, order: 1 });
    return { object: 'site-adaptive-schema', ...own };
  },

  'sites.publish': (context, { params }) => {
    const site = context.site(params, 'admin');
    if (context.variants.publishing === 'checkout') return { type: 'checkout', sessionId: context.id('pay') };
    if (site.siteSpaces === 0) throw conflict('a site without a space cannot be published');
    return siteView(context, context.store.put('site', { ...site, published: true }));
  },

  'sites.unpublish': (context, { params }) => {
    const site = context.site(params, 'admin');
    return siteView(context, context.store.put('site', { ...site, published: false }));
  },

  'sites.published': (context, { params, query }) => {
    const site = context.site(params, 'read');
    context.openShare(query.shareKey, [site.id]);
    if (!site.published) throw notFound('published content');
    return {
      object: 'published-content-site',
      site: siteView(context, site),
      structure: structureView(context, site),
      customizations: { site: publishedCustomization(context, site) },
    };
  },
};

function samplePages(context: Context): StoredPage[] {
  const start = context.page({
    title: 'Getting started',
    slug: 'getting-started',
    path: 'welcome/getting-started',
    markdown: '# Getting started\n\nWrite your first page.\n',
  });
  const markdown = '# Welcome\n\nHello. Go on with [the first steps](welcome/getting-started).\n';
  return [context.page({ title: 'Welcome', slug: 'welcome', path: 'welcome', markdown, pages: [start] })];
}

export const shareLinkHandlers: HandlersOf<typeof shareLinks> = {
  'shareLinks.list': (context, { params, query }) => {
    const site = context.site(params, 'create');
    return pageOfRows(context, 'shareLink', site.id, { query, view: (row) => shareLinkView(site, row) });
  },

  'shareLinks.create': (context, { params, body }) => {
    const site = context.site(params, 'create');
    const own = { site: site.id, name: body.name, active: true, token: randomSecret('k') };
    const row = context.store.put('shareLink', { ...context.fresh('share', site.org), ...own });
    return shareLinkView(site, row);
  },

  'shareLinks.delete': (context, { params }) => {
    const [, row] = context.siteObject('shareLink', params);
    context.store.remove('shareLink', row.id);
  },

  'shareLinks.update': (context, { params, body }) => {
    const [site, row] = context.siteObject('shareLink', params);
    return shareLinkView(site, context.store.put('shareLink', { ...row, ...defined(body) }));
  },
};

import type { sectionGroups, siteSections } from '../../contract/site-sections.ts';
import type { siteSpaces } from '../../contract/site-spaces.ts';
import type { siteStructure } from '../../contract/site-structure.ts';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import type { Context, PathParams } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfList, pageOfRows } from '../paging.ts';
import { freeSlug, itemOf, slugOf } from '../store/places.ts';
import type { LinkRow, SiteRow, SiteSpaceRow } from '../store/rows.ts';
import {
  addSiteSpace,
  adoptRoot,
  deleteSection,
  deleteSiteSpace,
  itemsOf,
  makeDefaultSiteSpace,
  moveSiteSpace,
  otherSiteSpaces,
  placedSections,
  placedSiteSpaces,
  placeIn,
  regroup,
  type SiteItem,
  ungroup,
} from '../structure.ts';
import { groupView, linkView, sectionView, siteSpaceView, wholeStructureView } from '../views/site.ts';
import { dropRedirectsTo } from './redirects.ts';
import { spaceForSite } from './sites.ts';

interface Newer {
  readonly draft?: boolean | undefined;
  readonly hidden?: boolean;
  readonly pageId?: string | null;
  readonly parent?: string;
  readonly siteSectionGroupId?: string | null;
  readonly parentSectionGroupId?: string | null;
  readonly spaceId?: string;
}

function newerSiteSpace(body: object): Readonly<Record<string, unknown>> {
  return defined(picked(body as Newer, 'draft', 'hidden', 'pageId'));
}

/** Removes fields that a change sets to null. */
function patched<T extends object>(row: T, changes: Readonly<Record<string, unknown>>): T {
  const entries = Object.entries({ ...row, ...defined(changes) }).filter(([key, value]) => {
    return !(value === null && changes[key] === null);
  });
  return Object.fromEntries(entries) as T;
}

/** Moves a section, group or link to another group through its own update. */
function enter(context: Context, site: SiteRow, item: SiteItem, to: string | null | undefined): void {
  if (to === undefined || item.row.group === to) return;
  const place = context.variants['ungrouped-section'];
  if (to === null) {
    ungroup(context.store, item, place);
    return;
  }
  const { id, group: above } = context.onSite('group', site, to);
  const isTooDeep = above !== null || context.store.children('group', item.id).length > 0;
  if (item.type === 'group' && (isTooDeep || id === item.id)) throw conflict('groups nest one level');
  const [first] = itemsOf(context.store, id);
  const isFirst = place === 'start' || place === 'before-group';
  regroup(context.store, item, id, isFirst ? defined({ before: first?.id }) : {});
}

/** Merges texts by language into a change; null removes one. `localized-texts`: whether other languages are kept. */
function withChange<T extends object>(context: Context, row: T, change: Readonly<Record<string, unknown>>) {
  const texts = Object.entries(change).filter(([name]) => name.startsWith('localized'));
  const whole = texts.map(([name, given]) => {
    const before = context.variants['localized-texts'] === 'merged' ? row[name as keyof T] : {};
    const all = Object.entries({ ...(before as object), ...(given as object) });
    return [name, Object.fromEntries(all.filter(([, text]) => text !== null && text !== ''))];
  });
  return patched(row, { ...change, ...Object.fromEntries(whole) });
}

/** Items that a pointer in the structure may refer to, by its type. Any other type is that of a site-space. */
const pointed: Readonly<Record<string, SiteItem['type'] | undefined>> = {
  'site-section': 'section',
  'site-section-group': 'group',
  'site-external-link': 'link',
};

function demandUrl(url: string | undefined): void {
  if (url !== undefined && !(/^https?:\/\/[^/]/.test(url) && URL.canParse(url)))
    throw invalid('body.url: an absolute address');
}

/** Live content requires a higher role than a draft. */
function siteToAddTo(context: Context, params: PathParams, { draft }: Newer): SiteRow {
  return context.site(params, draft === true ? 'edit' : 'create');
}

export const structureHandlers: HandlersOf<typeof siteStructure> = {
  'structure.get': (context, { params, query }) => {
    const site = context.site(params, 'read');
    context.openShare(query.shareKey, [site.id]);
    return wholeStructureView(context, site);
  },

  'structure.sort': (context, { params, body: { item, position } }) => {
    const { store } = context;
    const site = context.site(params, 'create');
    const anchors = defined({ before: position.before?.id, after: position.after?.id });
    for (const { type, id } of [position.before, position.after].flatMap((one) => one ?? []))
      context.onSite(pointed[type] ?? 'siteSpace', site, id);
    const type = pointed[item.type];
    if (type !== undefined) {
      const found = itemOf(type, context.onSite(type, site, item.id));
      regroup(store, found, found.row.group, anchors);
      return;
    }
    moveSiteSpace(store, context.onSite('siteSpace', site, item.id), anchors);
  },

  'siteLinks.create': (context, { params, body: { parent, ...fields } }) => {
    const site = siteToAddTo(context, params, fields);
    demandUrl(fields.url);
    if (context.store.owned('section', site.id).length === 0)
      throw conflict('a link needs a site with a section');
    const group = parent === undefined ? null : context.onSite('group', site, parent).id;
    const id = context.id('link');
    const order = placeIn(context.store, group ?? site.id, id, {});
    const { title, url } = fields;
    const row = { id, org: site.org, site: site.id, group, title, url, order };
    return linkView(context.store.put('link', withChange<LinkRow>(context, row, fields)));
  },

  'siteLinks.update': (context, { params, body: { parent, ...fields } }) => {
    const [site, row] = context.siteObject('link', params);
    demandUrl(fields.url);
    const changed = context.store.put('link', withChange(context, row, fields));
    enter(context, site, itemOf('link', changed), parent);
    return linkView(context.onSite('link', site, row.id));
  },

  'siteLinks.delete': (context, { params }) => {
    const [, row] = context.siteObject('link', params);
    context.store.remove('link', row.id);
  },
};

export const sectionHandlers: HandlersOf<typeof siteSections> = {
  'sections.list': (context, { params, query }) => {
    const site = context.site(params, 'read');
    context.openShare(query.shareKey, [site.id]);
    return pageOfList(context, placedSections(context.store, site.id), {
      of: site.id,
      query,
      key: ({ key }) => key,
      view: ({ row }) => sectionView(context, site, row),
    });
  },

  'sections.create': (context, { params, body }) => {
    const { draft } = body as Newer;
    const site = siteToAddTo(context, params, { draft });
    const space = spaceForSite(context, site.org, body.spaceId);
    const title = body.title ?? (space.title.length < 2 ? 'Untitled' : space.title);
    if (title.length < 2) throw invalid('body.title: at least 2 characters');
    const others = context.store.owned('section', site.id);
    const id = context.id('sect');
    const row = context.store.put('section', {
      id,
      org: site.org,
      site: site.id,
      group: null,
      title,
      path:
        context.variants['section-path'] === 'opaque'
          ? context.id('s')
          : freeSlug(slugOf(title), (path) => others.some((other) => other.path === path)),
      default: others.length === 0,
      order: placeIn(context.store, site.id, id, {}),
      ...(draft === true ? { draft } : {}),
    });
    addSiteSpace(context, site, id, space);
    const adopts = context.variants['root-site-spaces'] === 'moved';
    if (others.length === 0 && adopts) adoptRoot(context.store, site.id, id);
    return sectionView(context, site, row);
  },

  'sections.delete': (context, { params }) => {
    const [site, row] = context.siteObject('section', params);
    const inside = context.store.children('siteSpace', row.id).map(({ id }) => id);
    deleteSection(context.store, row);
    dropRedirectsTo(context, site.id, new Set([row.id, ...inside]));
  },

  'sections.update': (context, { params, body }) => {
    const [site, row] = context.siteObject('section', params);
    const { defaultSiteSpace, siteSectionGroupId, ...fields } = body as typeof body & Newer;
    const changed = withChange(context, row, fields);
    if (context.store.rival('section', changed) !== undefined)
      throw conflict('body.path: already used by another section');
    if (defaultSiteSpace !== undefined) {
      const child = context.onSite('siteSpace', site, defaultSiteSpace);
      if (child.section !== row.id) throw conflict('body.defaultSiteSpace: not in the section');
      makeDefaultSiteSpace(context.store, child);
    }
    enter(context, site, itemOf('section', context.store.put('section', changed)), siteSectionGroupId);
    return sectionView(context, site, context.onSite('section', site, row.id));
  },

  'sections.move': (context, { params, body }) => {
    const [site, row] = context.siteObject('section', params);
    const { before, after } = body.position ?? {};
    const anchors = defined({ before: before?.siteSection, after: after?.siteSection });
    regroup(context.store, itemOf('section', row), row.group, anchors);
    return sectionView(context, site, context.onSite('section', site, row.id));
  },
};

export const sectionGroupHandlers: HandlersOf<typeof sectionGroups> = {
  'sectionGroups.list': (context, { params, query }) => {
    const site = context.site(params, 'read');
    return pageOfRows(context, 'group', site.id, { query, view: (row) => groupView(context, site, row) });
  },

  'sectionGroups.create': (context, { params, body }) => {
    const { parent, draft } = body as Newer;
    const site = siteToAddTo(context, params, { draft });
    const sections = [...new Set(body.sections)].map((id) => context.onSite('section', site, id));
    if (sections.length < (body.sections?.length ?? 0)) throw invalid('body.sections: duplicate section');
    if (sections.some((one) => one.group !== null))
      throw conflict('body.sections: a section is in another group');
    const above = parent === undefined ? null : context.onSite('group', site, parent);
    if (above !== null && above.group !== null) throw conflict('groups nest one level');
    const id = context.id('sgrp');
    const row = context.store.put('group', {
      id,
      org: site.org,
      site: site.id,
      group: above?.id ?? null,
      title: body.title,
      ...defined({ icon: body.icon ?? undefined, draft }),
      order: placeIn(context.store, above?.id ?? site.id, id, {}),
    });
    for (const one of sections) regroup(context.store, itemOf('section', one), id);
    return groupView(context, site, row);
  },

  'sectionGroups.delete': (context, { params }) => {
    const [, row] = context.siteObject('group', params);
    const place = context.variants['deleted-group'] === 'place' ? 'before-group' : 'end';
    for (const one of itemsOf(context.store, row.id)) ungroup(context.store, one, place);
    context.store.remove('group', row.id);
  },

  'sectionGroups.update': (context, { params, body }) => {
    const [site, row] = context.siteObject('group', params);
    const { parentSectionGroupId, ...fields } = body as typeof body & Newer;
    const changed = context.store.put('group', withChange(context, row, fields));
    enter(context, site, itemOf('group', changed), parentSectionGroupId);
    return groupView(context, site, context.onSite('group', site, row.id));
  },

  'sectionGroups.addSection': (context, { params, body }) => {
    const [site, row] = context.siteObject('group', params);
    const one = context.onSite('section', site, body.sectionId);
    if (one.group === row.id) throw conflict('the section is already in the group');
    if (one.group !== null) throw conflict('the section is in another group');
    regroup(context.store, itemOf('section', one), row.id);
    context.location = `/v1/orgs/${site.org}/sites/${site.id}/section-groups/${row.id}`;
    return groupView(context, site, row);
  },

  'sectionGroups.removeSection': (context, { params }) => {
    const [site, row] = context.siteObject('group', params);
    const one = context.onSite('section', site, params.siteSectionId ?? '');
    if (one.group !== row.id) throw notFound('section in the group');
    ungroup(context.store, itemOf('section', one), context.variants['ungrouped-section']);
  },

  'sectionGroups.move': (context, { params, body }) => {
    const [site, row] = context.siteObject('group', params);
    const { before, after } = body.position ?? {};
    const anchors = defined({ before: before?.id, after: after?.id });
    regroup(context.store, itemOf('group', row), row.group, anchors);
    return groupView(context, site, context.onSite('group', site, row.id));
  },
};

export const siteSpaceHandlers: HandlersOf<typeof siteSpaces> = {
  'siteSpaces.list': (context, { params, query }) => {
    const site = context.site(params, 'read');
    context.openShare(query.shareKey, [site.id]);
    const all = placedSiteSpaces(context.store, site.id).filter(
      ({ row }) => query.default === undefined || row.default === query.default,
    );
    return pageOfList(context, all, {
      of: site.id,
      query,
      key: ({ key }) => key,
      view: ({ row }) => siteSpaceView(context, site, row),
    });
  },

  'siteSpaces.create': (context, { params, body }) => {
    const site = siteToAddTo(context, params, body as Newer);
    const space = spaceForSite(context, site.org, body.spaceId);
    const sections = context.store.owned('section', site.id);
    const target =
      body.sectionId === undefined
        ? sections.find((row) => row.default)?.id
        : context.onSite('section', site, body.sectionId).id;
    const row = patched(addSiteSpace(context, site, target ?? null, space), newerSiteSpace(body));
    return siteSpaceView(context, site, context.store.put('siteSpace', row));
  },

  'siteSpaces.delete': (context, { params }) => {
    const [site, row] = context.siteObject('siteSpace', params);
    deleteSiteSpace(context.store, row);
    dropRedirectsTo(context, site.id, new Set([row.id]));
  },

  'siteSpaces.update': (context, { params, body }) => {
    const [site, row] = context.siteObject('siteSpace', params);
    const { path, condition } = body;
    const { spaceId } = body as Newer;
    const page = spaceId === undefined || spaceId === row.space ? {} : { pageId: null };
    const changed = patched(row, { path, condition, ...page, ...newerSiteSpace(body) });
    if (context.store.rival('siteSpace', changed) !== undefined)
      throw conflict('body.path: already used by another site space');
    if (spaceId !== undefined) changed.space = spaceForSite(context, row.org, spaceId).id;
    const isTwice = ({ space }: SiteSpaceRow) => spaceId !== undefined && space === changed.space;
    if (otherSiteSpaces(context.store, row).some(isTwice))
      throw conflict(`the space "${changed.space}" is already there`);
    return siteSpaceView(context, site, context.store.put('siteSpace', changed));
  },

  'siteSpaces.move': (context, { params, body }) => {
    const [site, row] = context.siteObject('siteSpace', params);
    const { before, after } = body.position ?? {};
    const anchors = defined({ before: before?.siteSpace, after: after?.siteSpace });
    return siteSpaceView(context, site, moveSiteSpace(context.store, row, anchors));
  },
};

import type { sectionGroups, siteSections, siteStructure } from '../../contract/site-sections.ts';
import type { siteSpaces } from '../../contract/site-spaces.ts';
import { defined } from '../../util/defined.ts';
import type { Context } from '../context.ts';
import { conflict, type HandlersOf, invalid, notFound, type PathParams } from '../handler.ts';
import { pageOfList, pageOfRows } from '../paging.ts';
import { type Anchors, freeSlug, placeFor, slugOf } from '../places.ts';
import type { GroupRow, SectionRow, SiteRow, SiteSpaceRow } from '../rows.ts';
import {
  addSiteSpace,
  adoptRoot,
  deleteSection,
  deleteSiteSpace,
  groupPlace,
  makeDefaultSiteSpace,
  placedSections,
  placedSiteSpaces,
  putSectionIn,
  sectionsOf,
  topLevelPlace,
  ungroupSection,
} from '../structure.ts';
import { groupView, sectionView, siteSpaceView } from '../views/site.ts';
import { spaceForSite } from './sites.ts';

/** Fields that a change sets to null are removed. */
function patched<T extends object>(row: T, changes: Readonly<Record<string, unknown>>): T {
  const entries = Object.entries({ ...row, ...defined(changes) }).filter(([key, value]) => {
    return !(value === null && changes[key] === null);
  });
  return Object.fromEntries(entries) as T;
}

function section(context: Context, params: PathParams): [SiteRow, SectionRow] {
  const site = context.site(params, 'create');
  return [site, context.section(site, params.siteSectionId ?? '')];
}

function group(context: Context, params: PathParams): [SiteRow, GroupRow] {
  const site = context.site(params, 'create');
  return [site, context.group(site, params.siteSectionGroupId ?? '')];
}

function siteSpace(context: Context, params: PathParams): [SiteRow, SiteSpaceRow] {
  const site = context.site(params, 'create');
  return [site, context.siteSpace(site, params.siteSpaceId ?? '')];
}

function regroup(context: Context, site: SiteRow, row: SectionRow, to: string | null): void {
  if (row.group === to) return;
  const place = context.variants['ungrouped-section'];
  if (to === null) {
    ungroupSection(context.store, row, place);
    return;
  }
  const { id } = context.group(site, to);
  const [first] = sectionsOf(context.store, id);
  const isFirst = place === 'start' || place === 'before-group';
  const order = groupPlace(context.store, id, row.id, isFirst ? defined({ before: first?.id }) : {});
  context.store.put('section', { ...row, group: id, order });
}

/** Those that a pointer of the structure names, with their siblings. */
const sorted = {
  'site-space': (context: Context, site: SiteRow, id: string, anchors: Anchors): void => {
    const row = context.siteSpace(site, id);
    const siblings = context.store
      .children('siteSpace', row.section ?? site.id)
      .filter((one) => one.id !== id);
    const order = placeFor(siblings, anchors, (one) => context.store.put('siteSpace', one));
    context.store.put('siteSpace', { ...row, order });
  },
  'site-section': (context: Context, site: SiteRow, id: string, anchors: Anchors): void => {
    const row = context.section(site, id);
    const order =
      row.group === null
        ? topLevelPlace(context.store, site.id, id, anchors)
        : groupPlace(context.store, row.group, id, anchors);
    context.store.put('section', { ...row, order });
  },
  'site-section-group': (context: Context, site: SiteRow, id: string, anchors: Anchors): void => {
    const row = context.group(site, id);
    context.store.put('group', { ...row, order: topLevelPlace(context.store, site.id, id, anchors) });
  },
};

export const structureHandlers: HandlersOf<typeof siteStructure> = {
  'structure.sort': (context, { params, body: { item, position } }) => {
    const site = context.site(params, 'create');
    const anchors = defined({ before: position.before?.id, after: position.after?.id });
    if (item.type === 'site-external-link') throw notFound('site external link');
    sorted[item.type](context, site, item.id, anchors);
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
    const site = context.site(params, 'create');
    const space = spaceForSite(context, site.org, body.spaceId);
    const title = body.title ?? (space.title.length < 2 ? 'Untitled' : space.title);
    if (title.length < 2) throw invalid('body.title: at least 2 characters');
    const others = context.store.owned('section', site.id);
    const id = context.id('sect');
    const row: SectionRow = {
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
      order: topLevelPlace(context.store, site.id, id, {}),
    };
    context.store.put('section', row);
    addSiteSpace(context, site, id, space);
    const adopts = context.variants['root-site-spaces'] === 'moved';
    if (others.length === 0 && adopts) adoptRoot(context.store, site.id, id);
    return sectionView(context, site, row);
  },

  'sections.delete': (context, { params }) => {
    const [, row] = section(context, params);
    deleteSection(context.store, row);
  },

  'sections.update': (context, { params, body }) => {
    const [site, row] = section(context, params);
    const { defaultSiteSpace, siteSectionGroupId, ...fields } = body as typeof body & {
      readonly siteSectionGroupId?: string | null;
    };
    if (fields.path !== undefined) {
      const other = context.store.find('section', site.id, fields.path);
      if (other !== undefined && other.id !== row.id)
        throw conflict('body.path: already used by another section');
    }
    if (defaultSiteSpace !== undefined) {
      const child = context.siteSpace(site, defaultSiteSpace);
      if (child.section !== row.id) throw conflict('body.defaultSiteSpace: not in the section');
      makeDefaultSiteSpace(context.store, child);
    }
    const changed = patched(row, fields);
    context.store.put('section', changed);
    if (siteSectionGroupId !== undefined) regroup(context, site, changed, siteSectionGroupId);
    return sectionView(context, site, context.section(site, row.id));
  },

  'sections.move': (context, { params, body }) => {
    const [site, row] = section(context, params);
    const { before, after } = body.position ?? {};
    const anchors = defined({ before: before?.siteSection, after: after?.siteSection });
    const order =
      row.group === null
        ? topLevelPlace(context.store, site.id, row.id, anchors)
        : groupPlace(context.store, row.group, row.id, anchors);
    const changed = { ...row, order };
    context.store.put('section', changed);
    return sectionView(context, site, changed);
  },
};

export const sectionGroupHandlers: HandlersOf<typeof sectionGroups> = {
  'sectionGroups.list': (context, { params, query }) => {
    const site = context.site(params, 'read');
    return pageOfRows(context, 'group', site.id, {
      query,
      view: (row) => groupView(context, site, row),
    });
  },

  'sectionGroups.create': (context, { params, body }) => {
    const site = context.site(params, 'create');
    const sections = [...new Set(body.sections)].map((id) => context.section(site, id));
    if (sections.length < (body.sections?.length ?? 0)) throw invalid('body.sections: duplicate section');
    if (sections.some((one) => one.group !== null))
      throw conflict('body.sections: a section is in another group');
    const id = context.id('sgrp');
    const row: GroupRow = {
      id,
      org: site.org,
      site: site.id,
      title: body.title,
      ...defined({ icon: body.icon ?? undefined }),
      order: topLevelPlace(context.store, site.id, id, {}),
    };
    context.store.put('group', row);
    for (const one of sections) putSectionIn(context.store, one, id);
    return groupView(context, site, row);
  },

  'sectionGroups.delete': (context, { params }) => {
    const [, row] = group(context, params);
    const place = context.variants['deleted-group'] === 'place' ? 'before-group' : 'end';
    for (const one of sectionsOf(context.store, row.id)) ungroupSection(context.store, one, place);
    context.store.remove('group', row.id);
  },

  'sectionGroups.update': (context, { params, body }) => {
    const [site, row] = group(context, params);
    const changed = patched(row, body);
    context.store.put('group', changed);
    return groupView(context, site, changed);
  },

  'sectionGroups.addSection': (context, { params, body }) => {
    const [site, row] = group(context, params);
    const one = context.section(site, body.sectionId);
    if (one.group === row.id) throw conflict('the section is already in the group');
    if (one.group !== null) throw conflict('the section is in another group');
    putSectionIn(context.store, one, row.id);
    context.location = `/v1/orgs/${site.org}/sites/${site.id}/section-groups/${row.id}`;
    return groupView(context, site, row);
  },

  'sectionGroups.removeSection': (context, { params }) => {
    const [site, row] = group(context, params);
    const one = context.section(site, params.siteSectionId ?? '');
    if (one.group !== row.id) throw notFound('section in the group');
    ungroupSection(context.store, one, context.variants['ungrouped-section']);
  },

  'sectionGroups.move': (context, { params, body }) => {
    const [site, row] = group(context, params);
    const { before, after } = body.position ?? {};
    const order = topLevelPlace(
      context.store,
      site.id,
      row.id,
      defined({ before: before?.id, after: after?.id }),
    );
    const changed = { ...row, order };
    context.store.put('group', changed);
    return groupView(context, site, changed);
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
    const site = context.site(params, 'create');
    const space = spaceForSite(context, site.org, body.spaceId);
    const sections = context.store.owned('section', site.id);
    const target =
      body.sectionId === undefined
        ? sections.find((row) => row.default)?.id
        : context.section(site, body.sectionId).id;
    return siteSpaceView(context, site, addSiteSpace(context, site, target ?? null, space));
  },

  'siteSpaces.delete': (context, { params }) => {
    const [, row] = siteSpace(context, params);
    deleteSiteSpace(context.store, row);
  },

  'siteSpaces.update': (context, { params, body }) => {
    const [site, row] = siteSpace(context, params);
    if (body.path !== undefined) {
      const other = context.store.find('siteSpace', row.section ?? site.id, body.path);
      if (other !== undefined && other.id !== row.id)
        throw conflict('body.path: already used by another site space');
    }
    const changed = patched(row, body);
    context.store.put('siteSpace', changed);
    return siteSpaceView(context, site, changed);
  },

  'siteSpaces.move': (context, { params, body }) => {
    const [site, row] = siteSpace(context, params);
    const { before, after } = body.position ?? {};
    const siblings = context.store
      .children('siteSpace', row.section ?? site.id)
      .filter((one) => one.id !== row.id);
    const anchors = defined({ before: before?.siteSpace, after: after?.siteSpace });
    const order = placeFor(siblings, anchors, (sibling) => context.store.put('siteSpace', sibling));
    const changed = { ...row, order };
    context.store.put('siteSpace', changed);
    return siteSpaceView(context, site, changed);
  },
};

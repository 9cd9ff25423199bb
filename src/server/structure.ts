/**
 * The structure of sites in the store: one ordered top level of sections and groups, ordered sections in groups,
 * ordered site-spaces in sections or at the root. Keeps defaults, counts and unique paths right; checks no access.
 */
import { defined } from '../util/defined.ts';
import type { Context } from './context.ts';
import { conflict } from './handler.ts';
import type { Key } from './paging.ts';
import { type Anchors, byOrder, freeSlug, placeFor, slugOf } from './places.ts';
import type { GroupRow, SectionRow, SiteRow, SiteSpaceRow, SpaceRow } from './rows.ts';
import type { Store } from './store.ts';
import type { Variants } from './variants.ts';

export type TopLevel =
  | { readonly type: 'section'; readonly id: string; order: number; readonly row: SectionRow }
  | { readonly type: 'group'; readonly id: string; order: number; readonly row: GroupRow };

export function topLevelOf(store: Store, site: string): TopLevel[] {
  const sections = store
    .children('section', site)
    .map((row): TopLevel => ({ type: 'section', id: row.id, order: row.order, row }));
  const groups = store
    .children('group', site)
    .map((row): TopLevel => ({ type: 'group', id: row.id, order: row.order, row }));
  return [...sections, ...groups].sort(byOrder);
}

/** A container is a group, or the top level of a site. */
export function sectionsOf(store: Store, container: string): SectionRow[] {
  return store.children('section', container);
}

interface PlacedRow<R> {
  readonly row: R;
  readonly key: Key;
}

/** In display order: the sections of a group at the place of the group. */
export function placedSections(store: Store, site: string): PlacedRow<SectionRow>[] {
  return topLevelOf(store, site).flatMap((entry): PlacedRow<SectionRow>[] => {
    const key = [entry.order, entry.id];
    if (entry.type === 'section') return [{ row: entry.row, key }];
    return sectionsOf(store, entry.id).map((row) => ({ row, key: [...key, row.order, row.id] }));
  });
}

/** In display order: those of the root, then those of the sections. */
export function placedSiteSpaces(store: Store, site: string): PlacedRow<SiteSpaceRow>[] {
  const parents: { id: string; key: Key }[] = [
    { id: site, key: [0] },
    ...placedSections(store, site).map(({ row, key }) => ({ id: row.id, key: [1, ...key] })),
  ];
  return parents.flatMap(({ id, key }) =>
    store.children('siteSpace', id).map((row) => ({ row, key: [...key, row.order, row.id] })),
  );
}

function saveTop(store: Store, entry: TopLevel): void {
  if (entry.type === 'section') store.put('section', { ...entry.row, order: entry.order });
  else store.put('group', { ...entry.row, order: entry.order });
}

export function topLevelPlace(store: Store, site: string, id: string, anchors: Anchors): number {
  const siblings = topLevelOf(store, site).filter((entry) => entry.id !== id);
  return placeFor(siblings, anchors, (entry) => saveTop(store, entry));
}

export function groupPlace(store: Store, group: string, id: string, anchors: Anchors): number {
  const siblings = sectionsOf(store, group).filter((section) => section.id !== id);
  return placeFor(siblings, anchors, (section) => store.put('section', section));
}

export function putSectionIn(store: Store, section: SectionRow, group: string): void {
  const order = groupPlace(store, group, section.id, {});
  store.put('section', { ...section, group, order });
}

export function ungroupSection(
  store: Store,
  section: SectionRow,
  place: Variants['ungrouped-section'],
): void {
  const [first] = topLevelOf(store, section.site);
  const group = section.group ?? '';
  const anchors: Readonly<Record<typeof place, Anchors>> = {
    end: {},
    start: defined({ before: first?.id }),
    'before-group': { before: group },
    'after-group': { after: group },
  };
  const order = topLevelPlace(store, section.site, section.id, anchors[place]);
  store.put('section', { ...section, group: null, order });
}

/** `section` null is the root; the first site-space becomes the default. A space can be added once. */
export function addSiteSpace(
  context: Context,
  site: SiteRow,
  section: string | null,
  space: SpaceRow,
): SiteSpaceRow {
  const { store } = context;
  const siblings = store.children('siteSpace', section ?? site.id);
  if (siblings.some((sibling) => sibling.space === space.id)) {
    throw conflict(
      `the space "${space.id}" is already ${section === null ? 'on the site' : 'in the section'}`,
    );
  }
  const row: SiteSpaceRow = {
    id: context.id('sitesp'),
    org: site.org,
    site: site.id,
    section,
    space: space.id,
    path: freeSlug(slugOf(space.title), (path) => siblings.some((sibling) => sibling.path === path)),
    default: siblings.length === 0,
    order: placeFor(siblings, {}, (sibling) => store.put('siteSpace', sibling)),
  };
  store.put('siteSpace', row);
  recount(store, site.id);
  return row;
}

/** Moves the site-spaces of a site's root to the end of its first section; those already there are dropped. */
export function adoptRoot(store: Store, site: string, section: string): void {
  for (const row of store.children('siteSpace', site)) {
    const siblings = store.children('siteSpace', section);
    if (siblings.some((sibling) => sibling.space === row.space)) {
      store.remove('siteSpace', row.id);
      continue;
    }
    store.put('siteSpace', {
      ...row,
      section,
      default: false,
      path: freeSlug(row.path, (path) => siblings.some((sibling) => sibling.path === path)),
      order: placeFor(siblings, {}, (sibling) => store.put('siteSpace', sibling)),
    });
  }
  recount(store, site);
}

export function deleteSiteSpace(store: Store, row: SiteSpaceRow): void {
  const others = store.children('siteSpace', row.section ?? row.site).filter((other) => other.id !== row.id);
  if (others.length === 0 && row.section !== null) {
    throw conflict('a section must have at least one site space; delete the section instead');
  }
  if (row.default && others.length > 0) throw conflict('make another site space the default first');
  store.remove('siteSpace', row.id);
  recount(store, row.site);
}

/** Also deletes its site-spaces. Refuses the default if there are others. */
export function deleteSection(store: Store, row: SectionRow): void {
  const others = store.owned('section', row.site).filter((other) => other.id !== row.id);
  if (row.default && others.length > 0) throw conflict('make another section the default first');
  for (const child of store.children('siteSpace', row.id)) store.remove('siteSpace', child.id);
  store.remove('section', row.id);
  recount(store, row.site);
}

/** Also deletes its content; spaces stay. */
export function deleteSite(store: Store, site: SiteRow): void {
  for (const row of store.owned('siteSpace', site.id)) store.remove('siteSpace', row.id);
  for (const row of store.owned('section', site.id)) store.remove('section', row.id);
  for (const row of store.children('group', site.id)) store.remove('group', row.id);
  for (const row of store.children('shareLink', site.id)) store.remove('shareLink', row.id);
  store.remove('adaptiveSchema', site.id);
  store.remove('site', site.id);
  const org = store.get('org', site.org);
  if (org?.defaultSite === site.id) {
    const { defaultSite: _defaultSite, ...rest } = org;
    store.put('org', rest);
  }
}

export function dropSpace(store: Store, space: string): void {
  for (const row of store.tagged('siteSpace', space)) {
    store.remove('siteSpace', row.id);
    const siblings = store.children('siteSpace', row.section ?? row.site);
    const [first] = siblings;
    if (row.default && first !== undefined) store.put('siteSpace', { ...first, default: true });
    if (first === undefined && row.section !== null) dropSection(store, row.section);
    recount(store, row.site);
  }
}

function dropSection(store: Store, id: string): void {
  const section = store.get('section', id);
  if (section === undefined) return;
  store.remove('section', id);
  const [first] = placedSections(store, section.site);
  if (section.default && first !== undefined) store.put('section', { ...first.row, default: true });
}

export function makeDefaultSection(store: Store, site: string, id: string): void {
  for (const section of store.owned('section', site)) {
    if (section.default !== (section.id === id))
      store.put('section', { ...section, default: section.id === id });
  }
}

export function makeDefaultSiteSpace(store: Store, row: SiteSpaceRow): void {
  for (const sibling of store.children('siteSpace', row.section ?? row.site)) {
    if (sibling.default !== (sibling.id === row.id)) {
      store.put('siteSpace', { ...sibling, default: sibling.id === row.id });
    }
  }
}

function recount(store: Store, id: string): void {
  const site = store.get('site', id);
  const siteSpaces = store.countOwned('siteSpace', id);
  if (site !== undefined && site.siteSpaces !== siteSpaces) store.put('site', { ...site, siteSpaces });
}

/**
 * The structure of sites in the store: one order of sections, groups and links at the top level and in each group, ordered site-spaces
 * in sections or at the root. Maintains defaults, counts and unique paths; does not check access.
 */
import { defined } from '../util/defined.ts';
import { dropGrantsOn } from './access.ts';
import type { Context } from './context.ts';
import { conflict } from './errors.ts';
import type { Key } from './paging.ts';
import { type Anchors, byOrder, freeSlug, type ItemOf, itemOf, placeFor, slugOf } from './store/places.ts';
import type { Rows, SectionRow, SiteRow, SiteSpaceRow, SpaceRow } from './store/rows.ts';
import type { Store } from './store/store.ts';
import type { Variants } from './variants.ts';

export type SiteItem = ItemOf<'section' | 'group' | 'link'>;

/** A container is a group, or a site for its top level. */
export function itemsOf(store: Store, container: string): SiteItem[] {
  return [
    ...store.children('section', container).map((row) => itemOf('section', row)),
    ...store.children('group', container).map((row) => itemOf('group', row)),
    ...store.children('link', container).map((row) => itemOf('link', row)),
  ].sort(byOrder);
}

interface PlacedRow<R> {
  readonly row: R;
  readonly key: Key;
}

/** Sorted in display order: the sections of a group are at the place of the group. */
export function placedSections(store: Store, container: string, above: Key = []): PlacedRow<SectionRow>[] {
  return itemsOf(store, container).flatMap((item): PlacedRow<SectionRow>[] => {
    const key = [...above, item.order, item.id];
    if (item.type === 'section') return [{ row: item.row, key }];
    return item.type === 'group' ? placedSections(store, item.id, key) : [];
  });
}

/** Sorted in display order: the root's site-spaces come before the sections'. */
export function placedSiteSpaces(store: Store, site: string): PlacedRow<SiteSpaceRow>[] {
  const parents: { id: string; key: Key }[] = [
    { id: site, key: [0] },
    ...placedSections(store, site).map(({ row, key }) => ({ id: row.id, key: [1, ...key] })),
  ];
  return parents.flatMap(({ id, key }) =>
    store.children('siteSpace', id).map((row) => ({ row, key: [...key, row.order, row.id] })),
  );
}

export function placeIn(store: Store, container: string, id: string, anchors: Anchors): number {
  const siblings = itemsOf(store, container).filter((item) => item.id !== id);
  return placeFor(siblings, anchors, ({ type, row, order }) => store.put(type, { ...row, order }));
}

/** Moves the item into a group, or with null to the top level. */
export function regroup(store: Store, item: SiteItem, group: string | null, anchors: Anchors = {}): void {
  const order = placeIn(store, group ?? item.row.site, item.id, anchors);
  store.put(item.type, { ...item.row, order, group });
}

export function ungroup(store: Store, item: SiteItem, place: Variants['ungrouped-section']): void {
  const [first] = itemsOf(store, item.row.site);
  const group = item.row.group ?? '';
  const isBeside = store.get('group', group)?.group === null;
  const anchors: Readonly<Record<typeof place, Anchors>> = {
    end: {},
    start: defined({ before: first?.id }),
    'before-group': isBeside ? { before: group } : {},
    'after-group': isBeside ? { after: group } : {},
  };
  regroup(store, item, null, anchors[place]);
}

/** A null `section` is the root; the first site-space becomes the default. Each space can be added once. */
export function addSiteSpace(context: Context, site: SiteRow, section: string | null, space: SpaceRow) {
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

/** Moves the site-spaces of a site's root to the end of its first section; duplicates are dropped. */
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

export function otherSiteSpaces(store: Store, { id, site, section }: SiteSpaceRow): SiteSpaceRow[] {
  return store.children('siteSpace', section ?? site).filter((other) => other.id !== id);
}

export function moveSiteSpace(store: Store, row: SiteSpaceRow, anchors: Anchors): SiteSpaceRow {
  const siblings = otherSiteSpaces(store, row);
  const order = placeFor(siblings, anchors, (sibling) => store.put('siteSpace', sibling));
  return store.put('siteSpace', { ...row, order });
}

export function deleteSiteSpace(store: Store, row: SiteSpaceRow): void {
  const others = otherSiteSpaces(store, row);
  if (others.length === 0 && row.section !== null) {
    throw conflict('a section must have at least one site space; delete the section instead');
  }
  if (row.default && others.length > 0) throw conflict('make another site space the default first');
  store.remove('siteSpace', row.id);
  recount(store, row.site);
}

/** Deletes the section's site-spaces, too. Refuses to delete the default if other sections exist. */
export function deleteSection(store: Store, row: SectionRow): void {
  const others = store.owned('section', row.site).filter((other) => other.id !== row.id);
  if (row.default && others.length > 0) throw conflict('make another section the default first');
  for (const child of store.children('siteSpace', row.id)) store.remove('siteSpace', child.id);
  store.remove('section', row.id);
  recount(store, row.site);
}

/** Deletes the site's content, too; spaces are kept. */
export function deleteSite(store: Store, site: SiteRow): void {
  for (const kind of ['siteSpace', 'section', 'group', 'link'] as const)
    for (const row of store.owned(kind, site.id)) store.remove(kind, row.id);
  for (const kind of ['shareLink', 'redirect', 'adaptiveSchema', 'customization'] as const)
    for (const row of store.children(kind, site.id)) store.remove(kind, row.id);
  dropGrantsOn(store, `site/${site.id}`);
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

export function makeDefaultSection(store: Store, { id, site }: SectionRow): void {
  makeDefault(store, 'section', store.owned('section', site), id);
}

export function makeDefaultSiteSpace(store: Store, { id, section, site }: SiteSpaceRow): void {
  makeDefault(store, 'siteSpace', store.children('siteSpace', section ?? site), id);
}

function makeDefault<K extends 'section' | 'siteSpace'>(
  store: Store,
  kind: K,
  siblings: readonly Rows[K][],
  id: string,
): void {
  for (const one of siblings)
    if (one.default !== (one.id === id)) store.put(kind, { ...one, default: one.id === id });
}

function recount(store: Store, id: string): void {
  const site = store.get('site', id);
  const siteSpaces = store.countOwned('siteSpace', id);
  if (site !== undefined && site.siteSpaces !== siteSpaces) store.put('site', { ...site, siteSpaces });
}

/**
 * Collections and spaces in the store: one ordered list of both per parent. Spaces are soft-deleted and purged seven days later. Does
 * not check access.
 */

import { defined } from '../../util/defined.ts';
import { dropGrantsOn, onContent } from '../access.ts';
import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import { type Anchors, byOrder, type ItemOf, itemOf, placeFor } from '../store/places.ts';
import type { CollectionRow, RevisionRow, SpaceRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { dropSpace } from '../structure.ts';
import { indexSpace } from './search.ts';

/** Unit: milliseconds (API document, "Limits"). */
export const retention = 7 * 24 * 60 * 60 * 1000;

export function contentOf(store: Store, parent: string): ItemOf<'collection' | 'space'>[] {
  const spaces = store.children('space', parent).filter((space) => space.deletedAt === undefined);
  return [
    ...store.children('collection', parent).map((row) => itemOf('collection', row)),
    ...spaces.map((row) => itemOf('space', row)),
  ].sort(byOrder);
}

export function contentPlace(store: Store, parent: string, id: string, anchors: Anchors): number {
  if (anchors.before === undefined && anchors.after === undefined) {
    return Math.floor(store.lastOrder(['collection', 'space'], parent)) + 1;
  }
  const siblings = contentOf(store, parent).filter((entry) => entry.id !== id);
  return placeFor(siblings, anchors, ({ type, row, order }) => store.put(type, { ...row, order }));
}

export function isWithin(store: Store, inner: string, outer: string): boolean {
  for (let at: string | null = inner; at !== null; at = store.get('collection', at)?.parent ?? null) {
    if (at === outer) return true;
  }
  return false;
}

/** Creates a space with one empty revision, or the content of `from`; at the end of a parent, or right after a sibling. */
export function createSpace(
  context: Context,
  options: {
    org: string;
    parent: string | null;
    title: string;
    from?: SpaceRow;
    pages?: RevisionRow['pages'];
    after?: string;
    fields?: Partial<Pick<SpaceRow, 'emoji' | 'editMode' | 'language'>>;
  },
): SpaceRow {
  const { store } = context;
  const { org, parent, title, from } = options;
  const source = from === undefined ? undefined : store.get('revision', from.revision);
  const id = context.id('sp');
  const revision: RevisionRow = {
    ...context.fresh('rev', org),
    space: id,
    parents: [],
    type: 'edits',
    message: source === undefined ? 'Created' : 'Duplicated',
    pages: options.pages ?? source?.pages ?? [],
    files: source?.files ?? [],
    reusableContents: source?.reusableContents ?? [],
  };
  const row: SpaceRow = {
    id,
    org,
    parent,
    title,
    emoji: from?.emoji ?? '1f4c4',
    // null is also a level: a copy of closed content is closed.
    defaultLevel: from === undefined ? 'inherit' : from.defaultLevel,
    editMode: from?.editMode ?? 'live',
    createdAt: context.at,
    updatedAt: context.at,
    revision: revision.id,
    changeRequests: 0,
    order: contentPlace(store, parent ?? org, id, defined({ after: options.after })),
    ...defined({ language: from?.language }),
    ...options.fields,
  };
  store.put('revision', revision);
  store.put('space', row);
  for (const value of from === undefined ? [] : store.children('fieldValue', from.id)) {
    store.put('fieldValue', { ...value, id: `${id}/${value.field}`, space: id, order: store.next() });
  }
  indexSpace(store, row);
  return row;
}

export function deleteSpace(context: Context, row: SpaceRow): void {
  const { store } = context;
  const changed = { ...row, deletedAt: context.at };
  store.put('space', changed);
  store.put('trash', { id: row.id, org: row.org, space: row.id, order: context.now.getTime() });
  indexSpace(store, changed);
}

/** Restores the space to its former place, or to the root if its collection is deleted. */
export function restoreSpace(context: Context, row: SpaceRow): SpaceRow {
  const { store } = context;
  const { deletedAt: _deletedAt, ...rest } = row;
  const parent = row.parent !== null && store.get('collection', row.parent) === undefined ? null : row.parent;
  const order = parent === row.parent ? row.order : contentPlace(store, row.org, row.id, {});
  const restored: SpaceRow = { ...rest, parent, order, updatedAt: context.at };
  store.put('space', restored);
  store.remove('trash', row.id);
  indexSpace(store, restored);
  return restored;
}

export function deleteCollection(context: Context, row: CollectionRow): void {
  const { store } = context;
  for (const entry of contentOf(store, row.id)) {
    if (entry.type === 'collection') deleteCollection(context, entry.row);
    else deleteSpace(context, entry.row);
  }
  for (const space of store.children('space', row.id)) store.put('space', { ...space, parent: null });
  dropGrantsOn(store, onContent(row));
  store.remove('collection', row.id);
}

export function purge(store: Store, now: Date): void {
  for (;;) {
    const [oldest] = store.slice('trash', '', { limit: 1 });
    if (oldest === undefined || oldest.order + retention > now.getTime()) return;
    const row = store.get('space', oldest.space);
    if (row !== undefined) removeSpace(store, row);
    store.remove('trash', oldest.id);
  }
}

function removeSpace(store: Store, row: SpaceRow): void {
  dropSpace(store, row.id);
  for (const value of store.children('fieldValue', row.id)) store.remove('fieldValue', value.id);
  for (const request of store.children('changeRequest', row.id)) {
    for (const comment of store.children('comment', request.id)) {
      for (const reply of store.children('reply', comment.id)) store.remove('reply', reply.id);
      store.remove('comment', comment.id);
    }
    store.remove('changeRequest', request.id);
  }
  for (const revision of store.children('revision', row.id)) store.remove('revision', revision.id);
  store.indexPages(row.org, row.id, []);
  dropGrantsOn(store, onContent(row));
  store.remove('space', row.id);
}

/** Removes the space from the sites and custom fields of the old organization, and puts it at the end of `parent`. */
export function transferSpace(store: Store, row: SpaceRow, org: string, parent: string | null): SpaceRow {
  dropSpace(store, row.id);
  for (const value of store.children('fieldValue', row.id)) store.remove('fieldValue', value.id);
  for (const revision of store.children('revision', row.id)) store.put('revision', { ...revision, org });
  for (const request of store.children('changeRequest', row.id))
    store.put('changeRequest', { ...request, org });
  const order = contentPlace(store, parent ?? org, row.id, {});
  const changed = { ...row, org, parent, order };
  store.put('space', changed);
  indexSpace(store, changed);
  return changed;
}

export function transferCollection(
  store: Store,
  row: CollectionRow,
  org: string,
  parent: string | null,
): CollectionRow {
  const content = contentOf(store, row.id);
  const order = contentPlace(store, parent ?? org, row.id, {});
  const changed = { ...row, org, parent, order };
  store.put('collection', changed);
  for (const entry of content) {
    if (entry.type === 'collection') transferCollection(store, entry.row, org, row.id);
    else transferSpace(store, entry.row, org, row.id);
  }
  for (const space of store.children('space', row.id)) {
    if (space.org !== org) store.put('space', { ...space, parent: null });
  }
  return changed;
}

export function demandLive(row: SpaceRow): SpaceRow {
  if (row.deletedAt !== undefined) throw conflict('the space is deleted; restore it first');
  return row;
}

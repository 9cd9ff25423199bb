/** Handlers of collections (API document, "Collections"). */
import type { collections } from '../../contract/collections.ts';
import { defined } from '../../util/defined.ts';
import {
  contentOf,
  contentPlace,
  deleteCollection,
  isWithin,
  spacesIn,
  transferCollection,
} from '../content.ts';
import type { Context } from '../context.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfList } from '../paging.ts';
import type { Anchors } from '../places.ts';
import type { CollectionRow, SpaceRow } from '../rows.ts';
import { collectionView, spaceView } from '../views/content.ts';

type ContentAnchor = { type: 'space'; space: string } | { type: 'collection'; collection: string };

function idOf(anchor: ContentAnchor | undefined): string | undefined {
  return anchor?.type === 'space' ? anchor.space : anchor?.collection;
}

/** The ids that a position of content names. */
export function contentAnchors(
  position: { before?: ContentAnchor | undefined; after?: ContentAnchor | undefined } | undefined,
): Anchors {
  return defined({ before: idOf(position?.before), after: idOf(position?.after) });
}

/** The parent that a move names, for a caller who may put content there: null is the root, absent keeps the parent. */
export function targetParent(
  context: Context,
  row: CollectionRow | SpaceRow,
  parent: string | null | undefined,
): string | null {
  const target = parent === undefined ? row.parent : parent;
  if (target === null) {
    context.demand(row.org, 'create');
    return null;
  }
  const collection = context.collection(target, 'create');
  if (collection.org !== row.org) throw conflict('a move stays within the organization; transfer instead');
  return target;
}

/** The organization that content is handed to, for a caller who may create content there. */
export function targetOrg(context: Context, row: CollectionRow | SpaceRow, id: string): string {
  if (context.rankIn(row.org) < 6) throw forbidden('only admins may transfer content');
  const org = context.org(id, 'create');
  if (org.id === row.org) throw conflict('already in that organization');
  return org.id;
}

function nestedCollections(context: Context, parent: string): CollectionRow[] {
  return contentOf(context.store, parent).flatMap((entry) =>
    entry.type === 'collection' ? [entry.row, ...nestedCollections(context, entry.id)] : [],
  );
}

/** Handlers of collections. */
export const collectionHandlers: HandlersOf<typeof collections> = {
  'collections.get': (context, { params }) =>
    collectionView(context, context.collection(params.collectionId ?? '', 'read')),

  'collections.delete': (context, { params }) => {
    deleteCollection(context, context.collection(params.collectionId ?? '', 'admin'));
  },

  'collections.update': (context, { params, body }) => {
    const row = context.collection(params.collectionId ?? '', 'create');
    const changed: CollectionRow = { ...row, ...defined(body) };
    context.store.put('collection', changed);
    return collectionView(context, changed);
  },

  'collections.listSpaces': (context, { params, query }) => {
    const row = context.collection(params.collectionId ?? '', 'read');
    const all = spacesIn(context.store, row.id).filter((space) => context.rankOn(space) > 0);
    return pageOfList(context, all, {
      of: row.id,
      query,
      id: (space) => space.id,
      view: (space) => spaceView(context, space),
    });
  },

  'collections.move': (context, { params, body }) => {
    const row = context.collection(params.collectionId ?? '', 'create');
    const parent = targetParent(context, row, body.parent);
    if (parent !== null && isWithin(context.store, parent, row.id)) {
      throw conflict('a collection cannot be moved into itself');
    }
    const order = contentPlace(context.store, parent ?? row.org, row.id, contentAnchors(body.position));
    const changed = { ...row, parent, order };
    context.store.put('collection', changed);
    return collectionView(context, changed);
  },

  'collections.transfer': (context, { params, body }) => {
    const row = context.collection(params.collectionId ?? '', 'admin');
    const org = targetOrg(context, row, body.organization);
    return collectionView(context, transferCollection(context.store, row, org, null));
  },

  'collections.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', 'read');
    const all = nestedCollections(context, org.id)
      .filter((row) => query.nested !== false || row.parent === null)
      .filter((row) => context.rankOn(row) > 0);
    return pageOfList(context, all, {
      of: org.id,
      query,
      id: (row) => row.id,
      view: (row) => collectionView(context, row),
    });
  },

  'collections.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'create');
    const parent = body.parent ?? null;
    if (parent !== null && context.collection(parent, 'create').org !== org.id) throw notFound('collection');
    const id = context.id('col');
    const row: CollectionRow = {
      id,
      org: org.id,
      title: body.title ?? 'Untitled',
      parent,
      defaultLevel: 'inherit',
      order: contentPlace(context.store, parent ?? org.id, id, {}),
    };
    context.store.put('collection', row);
    return collectionView(context, row);
  },
};

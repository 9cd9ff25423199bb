import type { collections } from '../../contract/collections.ts';
import { defined } from '../../util/defined.ts';
import { grouped } from '../../util/group.ts';
import { rankOf, seenBy } from '../access.ts';
import {
  contentOf,
  contentPlace,
  deleteCollection,
  isWithin,
  transferCollection,
} from '../content/content.ts';
import type { Context } from '../context.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { type Key, pageOfList, pageOfRows } from '../paging.ts';
import type { CollectionRow, Level, SpaceRow } from '../store/rows.ts';
import { collectionView, spaceView } from '../views/content.ts';

type ContentAnchor = { type: 'space'; space: string } | { type: 'collection'; collection: string };

function idOf(anchor: ContentAnchor | undefined): string | undefined {
  return anchor?.type === 'space' ? anchor.space : anchor?.collection;
}

interface ContentMove {
  readonly parent?: string | null | undefined;
  readonly position?: { before?: ContentAnchor | undefined; after?: ContentAnchor | undefined } | undefined;
}

/** The row at its new place. Requires access to the new parent: null is the root, absent keeps the parent. */
export function moved<T extends CollectionRow | SpaceRow>(context: Context, row: T, move: ContentMove): T {
  const { parent = row.parent, position } = move;
  if (parent === null) context.demand(row.org, 'create');
  else if (context.collection(parent, 'create').org !== row.org)
    throw conflict('a move stays within the organization; transfer instead');
  if (parent !== null && isWithin(context.store, parent, row.id))
    throw conflict('a collection cannot be moved into itself');
  const anchors = defined({ before: idOf(position?.before), after: idOf(position?.after) });
  const order = contentPlace(context.store, parent ?? row.org, row.id, anchors);
  const changed = { ...row, parent, order };
  if (context.rankOn(changed) > context.rankOn(row))
    throw forbidden('requires as much on the content as its new parent gives');
  return changed;
}

/** Only admins of the content may change its level: otherwise anyone who sets levels could raise their own. */
export function demandLevelChange(context: Context, row: CollectionRow | SpaceRow, level: Level | undefined) {
  if (level === undefined || level === row.defaultLevel || context.rankOn(row) === rankOf('admin')) return;
  throw forbidden('requires level admin on the content to change its level');
}

function demandAllOf(context: Context, collection: string): void {
  for (const entry of contentOf(context.store, collection)) {
    if (context.rankOn(entry.row) < rankOf('admin')) {
      throw forbidden('requires level admin on everything in the collection');
    }
    if (entry.type === 'collection') demandAllOf(context, entry.id);
  }
}

export function targetOrg(context: Context, row: CollectionRow | SpaceRow, id: string): string {
  if (context.rankIn(row.org) < rankOf('admin')) throw forbidden('only admins may transfer content');
  const org = context.org(id, 'create');
  if (org.id === row.org) throw conflict('already in that organization');
  return org.id;
}

function nestedCollections(context: Context, org: string): { row: CollectionRow; key: Key }[] {
  const inside = grouped(context.store.owned('collection', org), ({ parent }) => parent ?? org);
  const walk = (parent: string, outer: Key): { row: CollectionRow; key: Key }[] =>
    (inside.get(parent) ?? []).flatMap((row) => {
      const key = [...outer, row.order, row.id];
      return [{ row, key }, ...walk(row.id, key)];
    });
  return walk(org, []);
}

export const collectionHandlers: HandlersOf<typeof collections> = {
  'collections.get': (context, { params }) =>
    collectionView(context, context.collection(params.collectionId ?? '', 'read')),

  'collections.delete': (context, { params }) => {
    const row = context.collection(params.collectionId ?? '', 'admin');
    demandAllOf(context, row.id);
    deleteCollection(context, row);
  },

  'collections.update': (context, { params, body }) => {
    const row = context.collection(params.collectionId ?? '', 'create');
    demandLevelChange(context, row, body.defaultLevel);
    return collectionView(context, context.store.put('collection', { ...row, ...defined(body) }));
  },

  'collections.listSpaces': (context, { params, query }) => {
    const row = context.collection(params.collectionId ?? '', 'read');
    const seen = seenBy(context, context.memberOf(row.org));
    if (seen === undefined) return { items: [], count: 0 };
    return pageOfRows(context, 'space', row.id, {
      query,
      slice: { seen },
      view: (space) => spaceView(context, space),
    });
  },

  'collections.move': (context, { params, body }) => {
    const row = context.collection(params.collectionId ?? '', 'create');
    return collectionView(context, context.store.put('collection', moved(context, row, body)));
  },

  'collections.transfer': (context, { params, body }) => {
    const row = context.collection(params.collectionId ?? '', 'admin');
    const org = targetOrg(context, row, body.organization);
    return collectionView(context, transferCollection(context.store, row, org, null));
  },

  'collections.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', 'read');
    const all = nestedCollections(context, org.id)
      .filter(({ row }) => query.nested !== false || row.parent === null)
      .filter(({ row }) => context.rankOn(row) > 0);
    return pageOfList(context, all, {
      of: org.id,
      query,
      key: ({ key }) => key,
      view: ({ row }) => collectionView(context, row),
    });
  },

  'collections.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'create');
    const parent = body.parent ?? null;
    if (parent !== null && context.collection(parent, 'create').org !== org.id) throw notFound('collection');
    const id = context.id('col');
    const row = context.store.put('collection', {
      id,
      org: org.id,
      title: body.title ?? 'Untitled',
      parent,
      defaultLevel: 'inherit',
      order: contentPlace(context.store, parent ?? org.id, id, {}),
    });
    return collectionView(context, row);
  },
};

/** Collections and spaces as responses show them. */
import type { OperationOutput } from '../../contract/index.ts';
import { rankOf } from '../access.ts';
import type { Context } from '../context.ts';
import { emojiCode } from '../emoji.ts';
import type { CollectionRow, SpaceRow } from '../rows.ts';
import { publicationOf } from './published.ts';

/** A collection. */
export function collectionView(context: Context, row: CollectionRow): OperationOutput<'collections.get'> {
  const rank = context.rankOn(row);
  return {
    object: 'collection',
    id: row.id,
    title: row.title,
    description: row.description,
    organization: row.org,
    parent: row.parent ?? undefined,
    defaultLevel: row.defaultLevel,
    urls: {
      location: `${context.base}/v1/collections/${row.id}`,
      app: `${context.base}/app/${row.org}/c/${row.id}`,
    },
    permissions: {
      view: rank >= rankOf('read'),
      admin: rank >= rankOf('admin'),
      viewInviteLinks: rank >= rankOf('admin'),
      create: rank >= rankOf('create'),
    },
  };
}

/** A space. Its visibility follows the published site that contains it, else its collection. */
export function spaceView(context: Context, row: SpaceRow): OperationOutput<'spaces.get'> {
  const rank = context.rankOn(row);
  const live = row.deletedAt === undefined;
  const publication = publicationOf(context, row);
  return {
    object: 'space',
    id: row.id,
    title: row.title,
    emoji: emojiCode(row.emoji) ?? row.emoji,
    visibility: publication.visibility ?? (row.parent === null ? 'private' : 'in-collection'),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    deletedAt: row.deletedAt,
    editMode: row.editMode,
    organization: row.org,
    parent: row.parent ?? undefined,
    revision: row.revision,
    defaultLevel: row.defaultLevel,
    ...countsOf(context, row),
    urls: {
      location: `${context.base}/v1/spaces/${row.id}`,
      app: `${context.base}/app/${row.org}/s/${row.id}`,
      ...publication.urls,
    },
    permissions: {
      view: rank >= rankOf('read'),
      access: rank >= rankOf('read'),
      admin: rank >= rankOf('admin'),
      viewInviteLinks: rank >= rankOf('admin'),
      edit: rank >= rankOf('edit') && row.editMode === 'live' && live,
      triggerGitSync: rank >= rankOf('admin') && live,
      comment: rank >= rankOf('comment') && live,
      merge: rank >= rankOf('review') && row.editMode === 'live' && live,
      review: rank >= rankOf('review') && live,
    },
  };
}

function countsOf(context: Context, row: SpaceRow) {
  if (row.changeRequests === 0) {
    return { comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 };
  }
  const { store } = context;
  return {
    comments: store.owned('comment', row.id).filter((comment) => comment.resolvedAt === undefined).length,
    changeRequests: row.changeRequests,
    changeRequestsOpen: store.countTagged('changeRequest', row.id, 'open'),
    changeRequestsDraft: store.countTagged('changeRequest', row.id, 'draft'),
  };
}

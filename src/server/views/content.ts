/** Collections and spaces as responses show them. */
import type { OperationOutput } from '../../contract/index.ts';
import { type Context, rankOf } from '../context.ts';
import type { CollectionRow, SpaceRow } from '../rows.ts';

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
  return {
    object: 'space',
    id: row.id,
    title: row.title,
    emoji: emojiCode(row.emoji),
    visibility: visibilityOf(context, row),
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

/** An emoji as this service spells it: its code points in hex, without variation selectors, however it was sent. */
function emojiCode(emoji: string): string {
  if (/^[0-9a-f]{4,6}(?:-[0-9a-f]{2,6})*$/i.test(emoji)) return emoji.toLowerCase();
  const points = [...emoji].map((one) => (one.codePointAt(0) ?? 0).toString(16));
  return points.filter((point) => point !== 'fe0f').join('-');
}

function visibilityOf(context: Context, row: SpaceRow): string {
  for (const siteSpace of context.store.tagged('siteSpace', row.id)) {
    const site = context.store.get('site', siteSpace.site);
    if (site?.published === true) return site.visibility;
  }
  return row.parent === null ? 'private' : 'in-collection';
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

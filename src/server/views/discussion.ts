import { picked } from '../../util/picked.ts';
import { rankOf } from '../access.ts';
import type { Discussed } from '../content/revisions.ts';
import { flatPages } from '../content/search.ts';
import type { Context } from '../context.ts';
import type { ChangeRequestRow, CommentRow, Reaction, ReplyRow, SpaceRow } from '../store/rows.ts';
import { userViewOf } from './people.ts';

export interface DiscussedComment extends Discussed {
  readonly row: CommentRow;
}

export function changeRequestView(context: Context, { space, request: row }: Discussed) {
  const ancestor = row.revisionMergedAncestor ?? row.revisionInitial;
  return {
    object: 'change-request',
    ...picked(row, 'id', 'number', 'status', 'subject'),
    createdBy: userViewOf(context, space.org, row.createdBy),
    ...picked(row, 'createdAt', 'updatedAt'),
    ...picked(row, 'revision', 'revisionInitial', 'revisionMergedAncestor', 'revisionMerged'),
    comments: context.store.countTagged('comment', row.id, 'open'),
    outdated: row.status !== 'merged' && space.revision !== ancestor,
    urls: {
      app: `${context.base}/app/${space.org}/s/${space.id}/~/changes/${row.number}`,
      location: requestUrl(context, row),
    },
  };
}

function reactionViews(context: Context, org: string, reactions: readonly Reaction[]) {
  const emojis = [...new Set(reactions.map((one) => one.emoji))];
  return emojis.map((emoji) => {
    const users = reactions
      .filter((one) => one.emoji === emoji)
      .map((one) => ({ user: userViewOf(context, org, one.user), reactedAt: one.reactedAt }));
    return { emoji, count: users.length, users };
  });
}

function postView(context: Context, space: SpaceRow, row: CommentRow | ReplyRow) {
  const rank = context.rankOn(space);
  const own = row.postedBy === context.user;
  const comments = rank >= rankOf('comment');
  return {
    id: row.id,
    postedBy: userViewOf(context, space.org, row.postedBy),
    ...picked(row, 'postedAt', 'editedAt'),
    reactions: reactionViews(context, space.org, row.reactions),
    body: { markdown: row.markdown },
    permissions: {
      view: rank > 0,
      edit: own && comments,
      reply: comments,
      delete: (own && comments) || rank >= rankOf('admin'),
    },
  };
}

export function commentView(context: Context, { space, request, row }: DiscussedComment) {
  return {
    object: 'comment',
    ...postView(context, space, row),
    replies: context.store.count('reply', row.id),
    target: {
      node: row.node === undefined ? undefined : { id: row.node },
      page: row.page === undefined ? undefined : pageTarget(context, request, row),
      changeRequest: request.id,
      space: space.id,
      revision: request.revision,
    },
    urls: { location: `${requestUrl(context, request)}/comments/${row.id}` },
    status: row.resolvedAt === undefined ? 'open' : 'resolved',
    resolvedAt: row.resolvedAt,
    resolvedBy: row.resolvedBy === undefined ? undefined : userViewOf(context, space.org, row.resolvedBy),
  };
}

export function replyView(context: Context, { space, request }: Discussed, row: ReplyRow) {
  const location = `${requestUrl(context, request)}/comments/${row.comment}/replies/${row.id}`;
  return { object: 'comment-reply', ...postView(context, space, row), urls: { location } };
}

function requestUrl(context: Context, request: ChangeRequestRow): string {
  return `${context.base}/v1/spaces/${request.space}/change-requests/${request.id}`;
}

function pageTarget(context: Context, request: ChangeRequestRow, row: CommentRow) {
  const pages = flatPages(context.store.get('revision', request.revision)?.pages ?? []);
  const page = pages.find((one) => one.id === row.page);
  if (page === undefined) return { id: row.page, outdated: true };
  const { id, title, emoji, icon, createdAt, updatedAt, path } = page;
  return { id, title, emoji, icon, createdAt, updatedAt, path, outdated: updatedAt > row.postedAt };
}

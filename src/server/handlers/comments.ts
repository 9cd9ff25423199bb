import type { comments } from '../../contract/comments.ts';
import { defined } from '../../util/defined.ts';
import { rankOf } from '../access.ts';
import { discussedIn, pageIn, revisionOf } from '../content/revisions.ts';
import type { Context, PathParams } from '../context.ts';
import { forbidden, invalid, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfList, pageOfRows } from '../paging.ts';
import type { CommentRow, Reaction, Role, SpaceRow } from '../store/rows.ts';
import { commentView, type DiscussedComment, replyView } from '../views/discussion.ts';

function comment(context: Context, params: PathParams, least: Role): DiscussedComment {
  const at = discussedIn(context, params, least);
  const row = context.store.get('comment', params.commentId ?? '');
  if (row === undefined || row.changeRequest !== at.request.id) throw notFound('comment');
  return { ...at, row };
}

/** Refuses alternatives that the document mentions without defining them. */
function markdownOf(body: Readonly<Record<string, unknown>>): string {
  const { markdown, ...others } = body;
  if (Object.keys(others).length > 0) throw invalid('body.body: only {markdown} is supported');
  return typeof markdown === 'string' ? markdown : '';
}

function posted(context: Context, prefix: string, { org }: SpaceRow, body: Parameters<typeof markdownOf>[0]) {
  const own = { id: context.id(prefix), org, postedBy: context.user, postedAt: context.at };
  return { ...own, markdown: markdownOf(body), reactions: [], order: context.store.next() };
}

function reacted(
  context: Context,
  reactions: readonly Reaction[],
  body: { addedReactions?: string[] | undefined; removedReactions?: string[] | undefined },
): Reaction[] {
  const mine = (one: Reaction, emoji: string) => one.user === context.user && one.emoji === emoji;
  const kept = reactions.filter((one) => !(body.removedReactions ?? []).some((emoji) => mine(one, emoji)));
  for (const emoji of new Set(body.addedReactions)) {
    if (emoji === '' || emoji.length > 50) throw invalid('body.addedReactions: 1 to 50 characters each');
    if (body.removedReactions?.includes(emoji) === true || kept.some((one) => mine(one, emoji))) continue;
    kept.push({ emoji, user: context.user, reactedAt: context.at });
  }
  return kept;
}

function resolved(context: Context, row: CommentRow, value: boolean | undefined): CommentRow {
  if (value === undefined || value === (row.resolvedAt !== undefined)) return row;
  if (value) return { ...row, resolvedAt: context.at, resolvedBy: context.user };
  const { resolvedAt: _at, resolvedBy: _by, ...open } = row;
  return open;
}

export const commentHandlers: HandlersOf<typeof comments> = {
  'comments.list': (context, { params, query }) => {
    const at = discussedIn(context, params, 'read');
    const status = query.status ?? 'all';
    const all = context.store
      .children('comment', at.request.id)
      .filter((row) => status === 'all' || (status === 'resolved') === (row.resolvedAt !== undefined))
      .filter((row) => query.targetPage === undefined || row.page === query.targetPage)
      .filter((row) => query.authors === undefined || query.authors.includes(row.postedBy));
    if (query.order !== 'asc') all.reverse();
    return pageOfList(context, all, {
      of: at.request.id,
      query,
      key: (row) => [row.order, row.id],
      descending: query.order !== 'asc',
      view: (row) => commentView(context, { ...at, row }),
    });
  },

  'comments.create': (context, { params, body }) => {
    const at = discussedIn(context, params, 'comment');
    const { space, request } = at;
    const version = { space, revision: revisionOf(context, request.revision) };
    const row = context.store.put('comment', {
      ...posted(context, 'com', space, body.body),
      space: space.id,
      changeRequest: request.id,
      ...defined({
        node: body.node,
        page: body.page === undefined ? undefined : pageIn(version, body.page).id,
      }),
    });
    return commentView(context, { ...at, row });
  },

  'comments.get': (context, { params }) => commentView(context, comment(context, params, 'read')),

  'comments.update': (context, { params, body }) => {
    const { row, ...at } = comment(context, params, 'comment');
    if (body.body !== undefined && row.postedBy !== context.user)
      throw forbidden('only its author edits a comment');
    const edited = body.body === undefined ? {} : { markdown: markdownOf(body.body), editedAt: context.at };
    const reactions = reacted(context, row.reactions, body);
    const changed = resolved(context, { ...row, ...edited, reactions }, body.resolved);
    return commentView(context, { ...at, row: context.store.put('comment', changed) });
  },

  'comments.delete': (context, { params }) => {
    const { space, row } = comment(context, params, 'comment');
    if (row.postedBy !== context.user && context.rankOn(space) < rankOf('admin')) {
      throw forbidden('only its author and admins delete a comment');
    }
    for (const reply of context.store.children('reply', row.id)) context.store.remove('reply', reply.id);
    context.store.remove('comment', row.id);
  },

  'comments.listReplies': (context, { params, query }) => {
    const at = comment(context, params, 'read');
    return pageOfRows(context, 'reply', at.row.id, { query, view: (reply) => replyView(context, at, reply) });
  },

  'comments.createReply': (context, { params, body }) => {
    const at = comment(context, params, 'comment');
    const own = { ...posted(context, 'rep', at.space, body.body), comment: at.row.id };
    return replyView(context, at, context.store.put('reply', own));
  },

  'comments.getReply': (context, { params }) => {
    const at = comment(context, params, 'read');
    const reply = context.store.get('reply', params.commentReplyId ?? '');
    if (reply === undefined || reply.comment !== at.row.id) throw notFound('comment reply');
    return replyView(context, at, reply);
  },
};

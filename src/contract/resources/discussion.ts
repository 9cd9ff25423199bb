/** Change requests, comments and replies, as responses show them (API document, same headings). */
import * as z from 'zod';
import { each } from '../../util/data-schema.ts';
import { once } from '../once.ts';
import { hint, maybe, resource, texts, urls } from '../values.ts';
import { discussionPermissions } from './content.ts';
import { user } from './people.ts';

/** A proposed set of edits; `number` counts within its space. */
export const changeRequest = resource('change-request', () => ({
  number: z.number(),
  status: hint('draft', 'open', 'archived', 'merged'),
  subject: z.string(),
  createdBy: maybe(user()),
  ...each(z.string(), 'createdAt', 'updatedAt', 'revision', 'revisionInitial'),
  ...texts('revisionMergedAncestor', 'revisionMerged'),
  comments: z.number(),
  outdated: z.boolean(),
  urls: urls('app', 'location'),
}));

/** Outcome of merging or updating: `conflicts` comes with status 200 too. */
export const mergeResult = once(() =>
  z.looseObject({ revision: maybe(z.string()), result: maybe(hint('merge', 'update', 'conflicts')) }),
);

const reaction = once(() =>
  z.looseObject({
    emoji: maybe(z.string()),
    count: maybe(z.number()),
    users: maybe(z.array(z.looseObject({ user: maybe(user()), reactedAt: maybe(z.string()) }))),
  }),
);

const commentBody = once(() => z.looseObject({ markdown: maybe(z.string()) }));

/** A comment on a change request. */
export const comment = resource('comment', () => ({
  postedBy: maybe(user()),
  ...texts('postedAt', 'editedAt'),
  reactions: maybe(z.array(reaction())),
  replies: maybe(z.number()),
  body: maybe(commentBody()),
  target: maybe(
    z.looseObject({
      node: maybe(z.looseObject({ id: maybe(z.string()), preview: maybe(z.unknown()) })),
      changeRequest: maybe(z.unknown()),
      review: maybe(z.unknown()),
      page: maybe(
        z.looseObject({
          ...texts('id', 'title', 'emoji', 'icon', 'createdAt', 'updatedAt', 'path'),
          outdated: maybe(z.boolean()),
        }),
      ),
      space: maybe(z.unknown()),
      revision: maybe(z.unknown()),
    }),
  ),
  urls: urls('location'),
  permissions: discussionPermissions(),
  status: maybe(hint('open', 'resolved')),
  resolvedAt: maybe(z.string()),
  resolvedBy: maybe(user()),
}));

/** A reply to a comment. */
export const commentReply = resource('comment-reply', () => ({
  postedBy: maybe(user()),
  ...texts('postedAt', 'editedAt'),
  reactions: maybe(z.array(reaction())),
  body: maybe(commentBody()),
  urls: urls('location'),
  permissions: discussionPermissions(),
}));

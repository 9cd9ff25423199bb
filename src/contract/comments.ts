import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { comment, commentReply } from './resources/discussion.ts';
import { format, openEnum, sortOrders } from './values.ts';

const operation = operationsIn('Change request comments');
const all = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments';

/** Body of a comment: Markdown. The document mentions alternatives without showing them. */
const commentBodyInput = once(() => z.looseObject({ markdown: z.string().optional() }));

/** Operations on comments and replies (API document, "Change request comments"). */
export const comments = {
  'comments.list': operation(
    `GET ${all}`,
    'List the comments of a change request',
    pageOf(comment, () => ({
      order: sortOrders().optional().describe('Default: desc'),
      format: format().optional(),
      status: openEnum('all', 'open', 'resolved').optional().describe('Default: all'),
      targetPage: z.string().optional().describe('Id of a page'),
      authors: z.array(z.string()).optional().describe('Ids of users'),
    })),
  ),
  'comments.create': operation(`POST ${all}`, 'Comment on a change request', {
    body: () =>
      z.strictObject({
        node: z.string().optional().describe('Node that the comment targets'),
        page: z.string().optional(),
        body: commentBodyInput(),
      }),
    response: comment,
  }),
  'comments.get': operation(`GET ${all}/{commentId}`, 'Read a comment', {
    query: () => z.strictObject({ format: format().optional() }),
    response: comment,
  }),
  'comments.update': operation(`PUT ${all}/{commentId}`, 'Change, resolve or react to a comment', {
    body: () =>
      z.strictObject({
        resolved: z.boolean().optional(),
        body: commentBodyInput().optional(),
        addedReactions: z.array(z.string()).optional(),
        removedReactions: z.array(z.string()).optional(),
      }),
    response: comment,
  }),
  'comments.delete': operation(`DELETE ${all}/{commentId}`, 'Delete a comment', { success: 205 }),
  'comments.listReplies': operation(
    `GET ${all}/{commentId}/replies`,
    'List the replies to a comment',
    pageOf(commentReply, () => ({ format: format().optional() })),
  ),
  'comments.createReply': operation(`POST ${all}/{commentId}/replies`, 'Reply to a comment', {
    query: () => z.strictObject({ format: format().optional() }),
    body: () => z.strictObject({ body: commentBodyInput() }),
    response: commentReply,
  }),
  'comments.getReply': operation(`GET ${all}/{commentId}/replies/{commentReplyId}`, 'Read a reply', {
    query: () => z.strictObject({ format: format().optional() }),
    response: commentReply,
  }),
};

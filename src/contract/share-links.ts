import * as z from 'zod';
import { once } from './once.ts';
import { listOf, operation, pagedShape } from './operation.ts';
import { shareLink } from './resources/site.ts';

const section = 'Share links';
const all = '/v1/orgs/{organizationId}/sites/{siteId}/share-links';
const name = once(() => z.string().max(50));

/** Operations on the share links of a site (API document, "Share links"). */
export const shareLinks = {
  'shareLinks.list': operation({
    method: 'GET',
    path: all,
    summary: 'List the share links of a site',
    section,
    query: () => z.strictObject(pagedShape()),
    success: 200,
    response: () => listOf(shareLink()),
  }),
  'shareLinks.create': operation({
    method: 'POST',
    path: all,
    summary: 'Create a share link',
    section,
    body: () => z.strictObject({ name: name() }),
    success: 201,
    response: shareLink,
  }),
  'shareLinks.delete': operation({
    method: 'DELETE',
    path: `${all}/{shareLinkId}`,
    summary: 'Delete a share link',
    section,
    success: 205,
  }),
  'shareLinks.update': operation({
    method: 'PATCH',
    path: `${all}/{shareLinkId}`,
    summary: 'Rename a share link or switch it on or off',
    section,
    body: () => z.strictObject({ active: z.boolean().optional(), name: name().optional() }),
    success: 200,
    response: shareLink,
  }),
};

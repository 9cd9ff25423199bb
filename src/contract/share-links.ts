import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { shareLink } from './resources/site.ts';

const operation = operationsIn('Share links');
const all = '/v1/orgs/{organizationId}/sites/{siteId}/share-links';
const name = once(() => z.string().max(50));

/** Operations on the share links of a site (API document, "Share links"). */
export const shareLinks = {
  'shareLinks.list': operation(`GET ${all}`, 'List the share links of a site', pageOf(shareLink)),
  'shareLinks.create': operation(`POST ${all}`, 'Create a share link', {
    body: () => z.strictObject({ name: name() }),
    success: 201,
    response: shareLink,
  }),
  'shareLinks.delete': operation(`DELETE ${all}/{shareLinkId}`, 'Delete a share link', { success: 205 }),
  'shareLinks.update': operation(`PATCH ${all}/{shareLinkId}`, 'Rename a share link or switch it on or off', {
    body: () => z.strictObject({ active: z.boolean().optional(), name: name().optional() }),
    response: shareLink,
  }),
};

import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { siteSpace } from './resources/site.ts';
import { condition, positionBy } from './values.ts';

const operation = operationsIn('Site spaces');
const all = '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces';
const anchor = once(() => z.strictObject({ type: z.literal('site-space'), siteSpace: z.string() }));

/** Operations on the spaces that a site publishes (API document, "Site spaces"). */
export const siteSpaces = {
  'siteSpaces.list': operation(
    `GET ${all}`,
    'List the site-spaces of a site',
    pageOf(siteSpace, () => ({
      shareKey: z.string().optional(),
      default: z
        .boolean()
        .optional()
        .describe('true: only the default, false: only the others, omitted: all'),
    })),
  ),
  'siteSpaces.create': operation(`POST ${all}`, 'Add a space to a site', {
    body: () =>
      z.strictObject({
        spaceId: z.string(),
        sectionId: z
          .string()
          .optional()
          .describe('Default: the default section, or the root of a site without sections'),
      }),
    newer: {
      needs: '2026',
      fields: () => ({ draft: z.boolean().optional(), pageId: z.string().optional() }),
    },
    success: 201,
    response: siteSpace,
  }),
  'siteSpaces.delete': operation(`DELETE ${all}/{siteSpaceId}`, 'Remove a space from a site', {
    success: 205,
  }),
  'siteSpaces.update': operation(`PATCH ${all}/{siteSpaceId}`, 'Change a site-space', {
    body: () => z.strictObject({ path: z.string().min(1).max(100).optional(), condition: condition() }),
    newer: {
      needs: '2026',
      fields: () => ({
        spaceId: z.string().optional().describe('Replaces the space, and clears pageId'),
        pageId: z.string().nullable().optional(),
        hidden: z.boolean().optional(),
        draft: z.boolean().optional(),
      }),
    },
    response: siteSpace,
  }),
  'siteSpaces.move': operation(
    `POST ${all}/{siteSpaceId}/move`,
    'Move a site-space within its section or root',
    { body: () => z.strictObject({ position: positionBy(anchor()).optional() }), response: siteSpace },
  ),
};

/** Operations on the sections of a site (API document, "Site sections"). */
import * as z from 'zod';
import { once } from './once.ts';
import { listOf, operation, pagedShape } from './operation.ts';
import { siteSection } from './resources/site.ts';

const section = 'Site sections';
const all = '/v1/orgs/{organizationId}/sites/{siteId}/sections';
const anchor = once(() => z.strictObject({ type: z.literal('site-section'), siteSection: z.string() }));

/** Operations on the sections of sites, by name. */
export const siteSections = {
  'sections.list': operation({
    method: 'GET',
    path: all,
    summary: 'List the sections of a site',
    section,
    query: () => z.strictObject({ ...pagedShape(), shareKey: z.string().optional() }),
    success: 200,
    response: () => listOf(siteSection()),
  }),
  'sections.create': operation({
    method: 'POST',
    path: all,
    summary: 'Create a section',
    section,
    body: () =>
      z.strictObject({
        spaceId: z.string().describe('Space that the section holds first'),
        title: z.string().max(64).optional(),
      }),
    success: 201,
    response: siteSection,
  }),
  'sections.delete': operation({
    method: 'DELETE',
    path: `${all}/{siteSectionId}`,
    summary: 'Delete a section',
    section,
    success: 205,
  }),
  'sections.update': operation({
    method: 'PATCH',
    path: `${all}/{siteSectionId}`,
    summary: 'Change a section',
    section,
    body: () =>
      z.strictObject({
        title: z.string().min(2).max(128).optional(),
        path: z.string().min(1).max(100).optional(),
        defaultSiteSpace: z.string().optional(),
        condition: z
          .string()
          .min(1)
          .max(1024)
          .nullable()
          .optional()
          .describe('null removes, omitted leaves unchanged'),
        icon: z.string().max(50).nullable().optional(),
        description: z.string().max(256).nullable().optional(),
      }),
    success: 200,
    response: siteSection,
  }),
  'sections.move': operation({
    method: 'POST',
    path: `${all}/{siteSectionId}/move`,
    summary: 'Move a section among its siblings',
    section,
    body: () =>
      z.strictObject({
        position: z.strictObject({ before: anchor().optional(), after: anchor().optional() }).optional(),
      }),
    success: 200,
    response: siteSection,
  }),
};

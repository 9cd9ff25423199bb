/** Operations on the section groups of a site (API document, "Site section groups"). */
import * as z from 'zod';
import { once } from './once.ts';
import { listOf, operation, pagedShape } from './operation.ts';
import { siteSectionGroup } from './resources/site.ts';

const section = 'Site section groups';
const all = '/v1/orgs/{organizationId}/sites/{siteId}/section-groups';
const title = once(() => z.string().min(1).max(100));
const icon = once(() => z.string().max(50).nullable());
const anchor = once(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('site-section'), id: z.string() }),
    z.strictObject({ type: z.literal('site-section-group'), id: z.string() }),
  ]),
);

/** Operations on section groups, by name. */
export const sectionGroups = {
  'sectionGroups.list': operation({
    method: 'GET',
    path: all,
    summary: 'List the section groups of a site',
    section,
    query: () => z.strictObject(pagedShape()),
    success: 200,
    response: () => listOf(siteSectionGroup()),
  }),
  'sectionGroups.create': operation({
    method: 'POST',
    path: all,
    summary: 'Create a section group',
    section,
    body: () =>
      z.strictObject({
        title: title(),
        icon: icon().optional(),
        sections: z.array(z.string()).optional().describe('Ids of sections'),
      }),
    success: 201,
    response: siteSectionGroup,
  }),
  'sectionGroups.delete': operation({
    method: 'DELETE',
    path: `${all}/{siteSectionGroupId}`,
    summary: 'Delete a section group; its sections stay',
    section,
    success: 205,
  }),
  'sectionGroups.update': operation({
    method: 'PATCH',
    path: `${all}/{siteSectionGroupId}`,
    summary: 'Change a section group',
    section,
    body: () => z.strictObject({ title: title().optional(), icon: icon().optional() }),
    success: 200,
    response: siteSectionGroup,
  }),
  'sectionGroups.addSection': operation({
    method: 'POST',
    path: `${all}/{siteSectionGroupId}/sections`,
    summary: 'Put a section into a group',
    section,
    body: () => z.strictObject({ sectionId: z.string() }),
    success: 201,
    response: siteSectionGroup,
  }),
  'sectionGroups.removeSection': operation({
    method: 'DELETE',
    path: `${all}/{siteSectionGroupId}/sections/{siteSectionId}`,
    summary: 'Take a section out of a group',
    section,
    success: 205,
  }),
  'sectionGroups.move': operation({
    method: 'POST',
    path: `${all}/{siteSectionGroupId}/move`,
    summary: "Move a section group among the site's top-level sections and groups",
    section,
    body: () =>
      z.strictObject({
        position: z.strictObject({ before: anchor().optional(), after: anchor().optional() }).optional(),
      }),
    success: 200,
    response: siteSectionGroup,
  }),
};

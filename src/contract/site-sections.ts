/** Operations on the sections of a site (API document, "Site sections"). */

import * as z from 'zod';
import { once } from './once.ts';
import { listOf, operation, pagedShape } from './operation.ts';
import { siteSection, siteSectionGroup } from './resources/site.ts';
import { localized } from './values.ts';

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
    newer: { needs: '2026', fields: () => ({ draft: z.boolean().optional() }) },
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
    newer: {
      needs: '2026',
      fields: () => ({
        siteSectionGroupId: z
          .string()
          .nullable()
          .optional()
          .describe('Moves the section; null: out of its group'),
        draft: z.boolean().optional(),
        localizedTitle: localized(128).optional(),
        localizedDescription: localized(256).optional(),
      }),
    },
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

const groupSection = 'Site section groups';
const allGroups = '/v1/orgs/{organizationId}/sites/{siteId}/section-groups';
const title = once(() => z.string().min(1).max(100));
const icon = once(() => z.string().max(50).nullable());
const groupAnchor = once(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('site-section'), id: z.string() }),
    z.strictObject({ type: z.literal('site-section-group'), id: z.string() }),
  ]),
);

/** Operations on section groups, by name. */
export const sectionGroups = {
  'sectionGroups.list': operation({
    method: 'GET',
    path: allGroups,
    summary: 'List the section groups of a site',
    section: groupSection,
    query: () => z.strictObject(pagedShape()),
    success: 200,
    response: () => listOf(siteSectionGroup()),
  }),
  'sectionGroups.create': operation({
    method: 'POST',
    path: allGroups,
    summary: 'Create a section group',
    section: groupSection,
    body: () =>
      z.strictObject({
        title: title(),
        icon: icon().optional(),
        sections: z.array(z.string()).optional().describe('Ids of sections'),
      }),
    newer: {
      needs: '2026',
      fields: () => ({
        parent: z.string().optional().describe('Group that it is in'),
        draft: z.boolean().optional(),
      }),
    },
    success: 201,
    response: siteSectionGroup,
  }),
  'sectionGroups.delete': operation({
    method: 'DELETE',
    path: `${allGroups}/{siteSectionGroupId}`,
    summary: 'Delete a section group; its sections stay',
    section: groupSection,
    success: 205,
  }),
  'sectionGroups.update': operation({
    method: 'PATCH',
    path: `${allGroups}/{siteSectionGroupId}`,
    summary: 'Change a section group',
    section: groupSection,
    body: () => z.strictObject({ title: title().optional(), icon: icon().optional() }),
    newer: {
      needs: '2026',
      fields: () => ({
        parentSectionGroupId: z
          .string()
          .nullable()
          .optional()
          .describe('Moves the group; null: out of its group'),
        draft: z.boolean().optional(),
        localizedTitle: localized(128).optional(),
      }),
    },
    success: 200,
    response: siteSectionGroup,
  }),
  'sectionGroups.addSection': operation({
    method: 'POST',
    path: `${allGroups}/{siteSectionGroupId}/sections`,
    summary: 'Put a section into a group',
    section: groupSection,
    body: () => z.strictObject({ sectionId: z.string() }),
    success: 201,
    response: siteSectionGroup,
    needs: 'document',
  }),
  'sectionGroups.removeSection': operation({
    method: 'DELETE',
    path: `${allGroups}/{siteSectionGroupId}/sections/{siteSectionId}`,
    summary: 'Take a section out of a group',
    section: groupSection,
    success: 205,
    needs: 'document',
  }),
  'sectionGroups.move': operation({
    method: 'POST',
    path: `${allGroups}/{siteSectionGroupId}/move`,
    summary: "Move a section group among the site's top-level sections and groups",
    section: groupSection,
    body: () =>
      z.strictObject({
        position: z
          .strictObject({ before: groupAnchor().optional(), after: groupAnchor().optional() })
          .optional(),
      }),
    success: 200,
    response: siteSectionGroup,
  }),
};

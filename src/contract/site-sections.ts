/** Operations on the sections of a site (API document, "Site sections"). */

import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { siteSection, siteSectionGroup } from './resources/site.ts';
import { condition, localized, positionBy } from './values.ts';

const operation = operationsIn('Site sections');
const all = '/v1/orgs/{organizationId}/sites/{siteId}/sections';
const anchor = once(() => z.strictObject({ type: z.literal('site-section'), siteSection: z.string() }));

/** Operations on the sections of sites, by name. */
export const siteSections = {
  'sections.list': operation(
    `GET ${all}`,
    'List the sections of a site',
    pageOf(siteSection, () => ({ shareKey: z.string().optional() })),
  ),
  'sections.create': operation(`POST ${all}`, 'Create a section', {
    body: () =>
      z.strictObject({
        spaceId: z.string().describe('Space that the section holds first'),
        title: z.string().max(64).optional(),
      }),
    newer: { needs: '2026', fields: () => ({ draft: z.boolean().optional() }) },
    success: 201,
    response: siteSection,
  }),
  'sections.delete': operation(`DELETE ${all}/{siteSectionId}`, 'Delete a section', { success: 205 }),
  'sections.update': operation(`PATCH ${all}/{siteSectionId}`, 'Change a section', {
    body: () =>
      z.strictObject({
        title: z.string().min(2).max(128).optional(),
        path: z.string().min(1).max(100).optional(),
        defaultSiteSpace: z.string().optional(),
        condition: condition(),
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
    response: siteSection,
  }),
  'sections.move': operation(`POST ${all}/{siteSectionId}/move`, 'Move a section among its siblings', {
    body: () => z.strictObject({ position: positionBy(anchor()).optional() }),
    response: siteSection,
  }),
};

const grouping = operationsIn('Site section groups');
const groups = '/v1/orgs/{organizationId}/sites/{siteId}/section-groups';
const group = `${groups}/{siteSectionGroupId}`;
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
  'sectionGroups.list': grouping(
    `GET ${groups}`,
    'List the section groups of a site',
    pageOf(siteSectionGroup),
  ),
  'sectionGroups.create': grouping(`POST ${groups}`, 'Create a section group', {
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
  'sectionGroups.delete': grouping(`DELETE ${group}`, 'Delete a section group; its sections are kept', {
    success: 205,
  }),
  'sectionGroups.update': grouping(`PATCH ${group}`, 'Change a section group', {
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
    response: siteSectionGroup,
  }),
  'sectionGroups.addSection': grouping(`POST ${group}/sections`, 'Add a section to a group', {
    body: () => z.strictObject({ sectionId: z.string() }),
    success: 201,
    response: siteSectionGroup,
    needs: 'document',
  }),
  'sectionGroups.removeSection': grouping(
    `DELETE ${group}/sections/{siteSectionId}`,
    'Remove a section from a group',
    { success: 205, needs: 'document' },
  ),
  'sectionGroups.move': grouping(
    `POST ${group}/move`,
    "Move a section group among the site's top-level sections and groups",
    {
      body: () => z.strictObject({ position: positionBy(groupAnchor()).optional() }),
      response: siteSectionGroup,
    },
  ),
};

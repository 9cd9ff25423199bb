/** The ordered structure of a site. Only services of the newer form have these operations. */
import * as z from 'zod';
import { isRecord } from '../util/json.ts';
import { once } from './once.ts';
import { operationsIn } from './operation.ts';
import { siteLink, siteStructure as structure } from './resources/site.ts';
import { localized, positionBy } from './values.ts';

const operation = operationsIn('Site structure', '2026');
const links = '/v1/orgs/{organizationId}/sites/{siteId}/external-links';

const pointer = once(() =>
  z.strictObject({
    type: z.enum(['site-space', 'site-section', 'site-section-group', 'site-external-link']),
    id: z.string(),
  }),
);

const linkFields = once(() => ({
  title: z.string().min(2).max(128),
  url: z.string().max(2048).describe('Absolute, http or https'),
  description: z.string().max(256).nullable().optional(),
  icon: z.string().max(50).nullable().optional(),
  condition: z.string().min(1).max(1024).nullable().optional(),
  draft: z.boolean().optional(),
  localizedTitle: localized(128).optional(),
  localizedDescription: localized(256).optional(),
}));

/** Operations on the structure of a site and on the links in it, by name. */
export const siteStructure = {
  'structure.get': operation(
    'GET /v1/orgs/{organizationId}/sites/{siteId}/structure',
    'Get everything that a site shows, in order: sections, groups, links and site-spaces',
    {
      query: () => z.strictObject({ shareKey: z.string().optional() }),
      response: structure,
      items: (response) =>
        isRecord(response) ? itemsIn(response.structure, { sectionGroup: null, section: null }) : [],
    },
  ),
  'structure.sort': operation(
    'PATCH /v1/orgs/{organizationId}/sites/{siteId}/structure/sort',
    'Move a section, group, link or site-space among its siblings; without a position, to the end',
    { body: () => z.strictObject({ item: pointer(), position: positionBy(pointer()) }), success: 204 },
  ),
  'siteLinks.create': operation(`POST ${links}`, 'Create a link among the sections of a site', {
    body: () =>
      z.strictObject({ ...linkFields(), parent: z.string().optional().describe('Group that it is in') }),
    success: 201,
    response: siteLink,
  }),
  'siteLinks.update': operation(`PATCH ${links}/{siteExternalLinkId}`, 'Change a link', {
    body: () =>
      z.strictObject({
        ...linkFields(),
        title: linkFields().title.optional(),
        url: linkFields().url.optional(),
        parent: z.string().nullable().optional().describe('Moves the link; null: out of its group'),
      }),
    response: siteLink,
  }),
  'siteLinks.delete': operation(`DELETE ${links}/{siteExternalLinkId}`, 'Delete a link', { success: 205 }),
};

/** Parents that are added to items of a group or section; values of the service take precedence. */
interface Inside {
  readonly sectionGroup: string | null;
  readonly section: string | null;
}

/** Lists each item before its children. */
function itemsIn(list: unknown, place: Inside): readonly unknown[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isRecord).flatMap((item) => {
    const { id } = item;
    const inside =
      typeof id !== 'string'
        ? []
        : [
            ...itemsIn(item.children, { ...place, sectionGroup: id }),
            ...itemsIn(item.siteSpaces, { ...place, section: id }),
          ];
    return [{ ...place, ...item }, ...inside];
  });
}

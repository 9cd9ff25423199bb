import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { adaptiveSchema, publishedContentSite, site } from './resources/site.ts';
import { contentLevel, openEnum, siteVisibilities } from './values.ts';

const operation = operationsIn('Sites');
const all = '/v1/orgs/{organizationId}/sites';
const title = once(() => z.string().min(2).max(128));

/** A site's proxy in a request; responses split it at the first slash. */
const proxy = once(() =>
  z
    .string()
    .max(512)
    .regex(/^([\w-]+\.)*[\w-]+\.[a-zA-Z]{2,}(\/[\w-]+)+$/),
);

/** Operations on sites (API document, "Sites"). */
export const sites = {
  'sites.list': operation(
    `GET ${all}`,
    'List the sites of an organization',
    pageOf(site, () => ({
      space: z.string().optional().describe('Id of a space: only sites that hold it'),
      title: z.string().optional(),
      published: z.boolean().optional(),
    })),
  ),
  'sites.create': operation(`POST ${all}`, 'Create a site', {
    body: () =>
      z.strictObject({
        type: openEnum('basic', 'premium', 'ultimate', 'sponsored', 'legacy-basic', 'legacy-premium')
          .optional()
          .describe('Default: basic'),
        title: title().optional(),
        visibility: z.enum(siteVisibilities).optional(),
        spaces: z
          .union([z.array(z.string()), openEnum('sample', 'empty')])
          .optional()
          .describe('Ids of spaces, or what kind of new space to create for the site'),
      }),
    success: 201,
    response: site,
  }),
  'sites.get': operation(`GET ${all}/{siteId}`, 'Read a site', { response: site }),
  'sites.delete': operation(`DELETE ${all}/{siteId}`, 'Delete a site', { success: 205 }),
  'sites.update': operation(`PATCH ${all}/{siteId}`, 'Change a site', {
    body: () =>
      z.strictObject({
        title: title().optional(),
        visibility: z.enum(siteVisibilities).optional(),
        basename: z.string().min(1).max(100).optional(),
        adaptiveContent: z
          .strictObject({ enabled: z.boolean().describe('Whether content adapts to visitors.') })
          .optional(),
        defaultSiteSpace: z
          .string()
          .optional()
          .describe('Site-space to be the default at root level or in the default section'),
        defaultSiteSection: z.string().optional().describe('Section to be the default'),
        proxy: proxy().nullable().optional().describe('null removes the proxy'),
      }),
    newer: {
      needs: '2026',
      fields: () => ({
        defaultLevel: contentLevel().optional().describe('Level of everyone in the organization'),
      }),
    },
    response: site,
  }),
  'sites.getAdaptiveSchema': operation(
    `GET ${all}/{siteId}/adaptive-schema`,
    "Read the schema of a site's visitor attributes",
    { response: adaptiveSchema },
  ),
  'sites.putAdaptiveSchema': operation(
    `PUT ${all}/{siteId}/adaptive-schema`,
    "Set the schema of a site's visitor attributes",
    {
      body: () => z.strictObject({ jsonSchema: z.record(z.string(), z.unknown()) }),
      response: adaptiveSchema,
    },
  ),
  'sites.publish': operation(
    `POST ${all}/{siteId}/publish`,
    'Publish a site; a response of type checkout: not published, since a payment is needed first',
    {
      needs: '2026',
      response: () => z.union([site(), z.looseObject({ type: z.string(), sessionId: z.string().nullish() })]),
    },
  ),
  'sites.unpublish': operation(`POST ${all}/{siteId}/unpublish`, 'Take a site offline', {
    needs: '2026',
    response: site,
  }),
  'sites.published': operation(`GET ${all}/{siteId}/published`, 'Read what a site publishes', {
    query: () => z.strictObject({ shareKey: z.string().optional() }),
    response: publishedContentSite,
  }),
};

import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { siteRedirect } from './resources/site.ts';

const operation = operationsIn('Redirects', '2026');
const all = '/v1/orgs/{organizationId}/sites/{siteId}/redirects';

const source = once(() =>
  z
    .string()
    .max(512)
    .regex(/^(?:\/(?:[A-Za-z0-9\-._~+]|%[0-9A-Fa-f]{2})+)+(?:\/?\*|\/)?$/)
    .meta({
      help: 'begin with / and write only the path on the site: no host, no query, not the root alone; one * at the very end matches the rest, for example /old/*',
    }),
);

const destination = once(() =>
  z.union([
    z.strictObject({ kind: z.literal('external'), url: z.url() }),
    z.strictObject({ kind: z.literal('site-section'), siteSectionId: z.string() }),
    z.strictObject({ kind: z.literal('site-space'), siteSpaceId: z.string() }),
    z.strictObject({ kind: z.literal('site-page'), siteSpaceId: z.string(), pageId: z.string() }),
  ]),
);

const captureWildcard = once(() =>
  z.boolean().optional().describe('Whether what the * of the source matches is appended to the target'),
);

const permanent = once(() => z.boolean().optional().describe('Whether browsers may keep it'));

/** Operations on the redirects of a site. */
export const redirects = {
  'redirects.list': operation(
    `GET ${all}`,
    'List the redirects of a site: the live ones, or the drafts',
    pageOf(siteRedirect, () => ({
      draft: z.boolean().optional(),
      search: z.string().optional(),
      orderBy: z.enum(['createdAt', 'updatedAt', 'source']).optional(),
    })),
  ),
  'redirects.create': operation(`POST ${all}`, 'Create a redirect', {
    body: () =>
      z.strictObject({
        source: source(),
        destination: destination(),
        captureWildcard: captureWildcard(),
        draft: z.boolean().optional().describe('Visitors do not get it'),
        permanent: permanent(),
      }),
    success: 201,
    response: siteRedirect,
  }),
  'redirects.update': operation(`PATCH ${all}/{siteRedirectId}`, 'Change a redirect', {
    body: () =>
      z.strictObject({
        source: source().optional(),
        destination: destination().optional(),
        captureWildcard: captureWildcard(),
        permanent: permanent(),
      }),
    response: siteRedirect,
  }),
  'redirects.delete': operation(`DELETE ${all}/{siteRedirectId}`, 'Delete a redirect', { success: 205 }),
  'redirects.resolve': operation(
    'GET /v1/orgs/{organizationId}/sites/{siteId}/redirect',
    'Read where a path of a site leads',
    {
      query: () => z.strictObject({ source: z.string() }),
      response: () => z.looseObject({ redirect: siteRedirect(), target: z.string().nullish() }),
    },
  ),
};

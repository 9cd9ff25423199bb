import * as z from 'zod';
import { listOf, operationsIn, pageOf } from './operation.ts';
import { foundSpace } from './resources/content.ts';
import { invite, organization } from './resources/organization.ts';
import { searchQuery } from './space-content.ts';
import { mergeRules, role, roleOrNull, uri } from './values.ts';

const operation = operationsIn('Organizations');
const invites = '/v1/orgs/{organizationId}/link-invites';

/** Operations on organizations and their link invites (API document, "Organizations"). */
export const organizations = {
  'orgs.list': operation('GET /v1/orgs', 'List the organizations of the caller', pageOf(organization)),
  'orgs.get': operation('GET /v1/orgs/{organizationId}', 'Read an organization', { response: organization }),
  'orgs.update': operation('PATCH /v1/orgs/{organizationId}', 'Change an organization', {
    body: () =>
      z.strictObject({
        title: z.string().min(2).max(255).optional(),
        emailDomains: z.array(z.string()).optional(),
        hostname: z.string().min(3).max(32).optional(),
        defaultRole: roleOrNull().optional(),
        defaultContent: z
          .strictObject({ type: z.literal('site'), site: z.string() })
          .nullable()
          .optional(),
        logo: uri(2048).nullable().optional(),
        sso: z.boolean().optional(),
        ai: z.boolean().optional(),
        inviteLinks: z.boolean().optional(),
      }),
    newer: { needs: '2026', fields: () => ({ mergeRules: mergeRules('none').optional() }) },
    response: organization,
  }),
  'linkInvites.list': operation(
    `GET ${invites}`,
    'List the link invites of an organization, without those of spaces and collections',
    { ...pageOf(invite), needs: '2026' },
  ),
  'linkInvites.create': operation(
    `POST ${invites}`,
    'Create a link invite: to the organization, or to a space or collection',
    {
      body: () =>
        z.strictObject({
          role: roleOrNull().optional().describe('In the organization'),
          level: roleOrNull().optional().describe('With a space or a collection'),
          space: z.string().optional(),
          collection: z.string().optional(),
        }),
      success: 201,
      response: invite,
      needs: '2026',
    },
  ),
  'linkInvites.get': operation(`GET ${invites}/{inviteId}`, 'Read a link invite', { response: invite }),
  'linkInvites.delete': operation(`DELETE ${invites}/{inviteId}`, 'Delete a link invite', { success: 205 }),
  'linkInvites.update': operation(`PATCH ${invites}/{inviteId}`, 'Change the role of a link invite', {
    body: () => z.strictObject({ role: role() }),
    newer: {
      needs: '2026',
      fields: () => ({
        role: roleOrNull().optional(),
        level: roleOrNull().optional().describe('Of an invite to a space or a collection'),
      }),
    },
    response: invite,
  }),
  'orgs.search': operation(
    'GET /v1/orgs/{organizationId}/search',
    'Search in the spaces of an organization',
    {
      query: searchQuery,
      response: () => listOf(foundSpace()),
    },
  ),
  'emailDomains.listOrgs': operation(
    'GET /v1/email-domains/{emailDomain}/orgs',
    'List the organizations of an e-mail domain',
    {
      response: () => z.looseObject({ organizations: z.array(organization()) }),
    },
  ),
};

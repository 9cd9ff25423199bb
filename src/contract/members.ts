import * as z from 'zod';
import { operationsIn, pageOf } from './operation.ts';
import { member, memberSpaceEntry, memberTeamEntry } from './resources/people.ts';
import { openEnum, roleOrNull, roles, sortOrders } from './values.ts';

const operation = operationsIn('Members');
const one = '/v1/orgs/{organizationId}/members/{userId}';

/** Operations on members (API document, "Members"). */
export const members = {
  'members.list': operation(
    'GET /v1/orgs/{organizationId}/members',
    'List the members of an organization',
    pageOf(member, () => ({
      order: sortOrders().optional().describe('Default: desc'),
      role: z.enum([...roles, 'guest']).optional(),
      search: z.string().optional().describe('Matches display names and e-mail addresses'),
      sort: openEnum('joinedAt', 'lastSeenAt')
        .optional()
        .describe('Default: joinedAt; lastSeenAt lists only active members'),
    })),
  ),
  'members.get': operation(`GET ${one}`, 'Read a member', { response: member }),
  'members.delete': operation(`DELETE ${one}`, 'Remove a member from an organization', {
    success: 204,
    mayPend: true,
  }),
  'members.update': operation(`PATCH ${one}`, 'Change the role of a member', {
    body: () => z.strictObject({ role: roleOrNull() }),
    response: member,
  }),
  'members.ping': operation('POST /v1/orgs/{organizationId}/ping', "Update the caller's last-seen time", {
    response: () => z.looseObject({ serviceVisitorClaims: z.string().nullish() }),
  }),
  'members.setSso': operation(`POST ${one}/sso`, 'Make a user an SSO member', { response: member }),
  'members.listSpaces': operation(
    `GET ${one}/spaces`,
    'List the spaces that a member can access',
    pageOf(memberSpaceEntry, () => ({ order: sortOrders().optional() })),
  ),
  'invites.create': operation('POST /v1/orgs/{organizationId}/invites', 'Invite people by e-mail', {
    body: () =>
      z.strictObject({
        emails: z
          .array(z.union([z.email(), z.strictObject({ email: z.email(), role: roleOrNull().optional() })]))
          .min(1),
        role: roleOrNull().optional().describe('For people without a role of their own'),
        sso: z.boolean().optional().describe('They sign in through single sign-on'),
      }),
    response: () =>
      z.looseObject({
        users: z.array(z.string()),
        invited: z.number(),
        failedSSOEmails: z.array(z.string()).nullish(),
      }),
    needs: '2026',
  }),
  'members.listTeams': operation(
    `GET ${one}/teams`,
    'List the teams of a member',
    pageOf(memberTeamEntry, () => ({
      title: z.string().optional().describe('Part of the title, whatever its case'),
    })),
  ),
};

import * as z from 'zod';
import { operationsIn, pageOf } from './operation.ts';
import { member, memberSpaceEntry, memberTeamEntry } from './resources/people.ts';
import { openEnum, roleOrNull, roles, sortOrders } from './values.ts';

const operation = operationsIn('Members');
const one = '/v1/orgs/{organizationId}/members/{userId}';

/** Operations on members (API document, "Members"). */
export const members = {
  'members.list': operation({
    route: 'GET /v1/orgs/{organizationId}/members',
    summary: 'List the members of an organization',
    ...pageOf(member, () => ({
      order: sortOrders().optional().describe('Default: desc'),
      role: z.enum([...roles, 'guest']).optional(),
      search: z.string().optional().describe('Matches display names and e-mail addresses'),
      sort: openEnum('joinedAt', 'lastSeenAt')
        .optional()
        .describe('Default: joinedAt; lastSeenAt lists only active members'),
    })),
  }),
  'members.get': operation({
    route: `GET ${one}`,
    summary: 'Read a member',
    response: member,
  }),
  'members.delete': operation({
    route: `DELETE ${one}`,
    summary: 'Remove a member from an organization',
    success: 204,
    mayPend: true,
  }),
  'members.update': operation({
    route: `PATCH ${one}`,
    summary: 'Change the role of a member',
    body: () => z.strictObject({ role: roleOrNull() }),
    response: member,
  }),
  'members.ping': operation({
    route: 'POST /v1/orgs/{organizationId}/ping',
    summary: "Update the caller's last-seen time",
    response: () => z.looseObject({ serviceVisitorClaims: z.string().nullish() }),
  }),
  'members.setSso': operation({
    route: `POST ${one}/sso`,
    summary: 'Make a user an SSO member',
    response: member,
  }),
  'members.listSpaces': operation({
    route: `GET ${one}/spaces`,
    summary: 'List the spaces that a member can access',
    ...pageOf(memberSpaceEntry, () => ({ order: sortOrders().optional() })),
  }),
  'invites.create': operation({
    route: 'POST /v1/orgs/{organizationId}/invites',
    summary: 'Invite people by e-mail',
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
  'members.listTeams': operation({
    route: `GET ${one}/teams`,
    summary: 'List the teams of a member',
    ...pageOf(memberTeamEntry, () => ({
      title: z.string().optional().describe('Part of the title, whatever its case'),
    })),
  }),
};

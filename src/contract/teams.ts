import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { team, teamMemberEntry } from './resources/people.ts';

const operation = operationsIn('Teams and team members');
const all = '/v1/orgs/{organizationId}/teams';
const title = once(() => z.string().min(1).max(64));
const teamRole = once(() => z.enum(['owner', 'member']));

/** Operations on teams and their members (API document, "Teams and team members"). */
export const teams = {
  'teams.list': operation(
    `GET ${all}`,
    'List the teams of an organization',
    pageOf(team, () => ({
      owner: z.string().optional().describe('Id of a member: only teams that they can manage'),
      title: z.string().optional().describe('Part of the title, whatever its case'),
    })),
  ),
  'teams.create': operation(`PUT ${all}`, 'Create a team', {
    body: () =>
      z.strictObject({ title: title(), members: z.array(z.string()).optional().describe('Ids of members') }),
    success: 201,
    response: team,
  }),
  'teams.get': operation(`GET ${all}/{teamId}`, 'Read a team', { response: team }),
  'teams.delete': operation(`DELETE ${all}/{teamId}`, 'Delete a team', { success: 204 }),
  'teams.update': operation(`PATCH ${all}/{teamId}`, 'Change a team', {
    body: () => z.strictObject({ title: title() }),
    response: team,
  }),
  'teams.listMembers': operation(
    `GET ${all}/{teamId}/members`,
    'List the members of a team',
    pageOf(teamMemberEntry),
  ),
  'teams.updateMembers': operation(
    `PUT ${all}/{teamId}/members`,
    'Add, remove and change members of a team; remove wins over add',
    {
      body: () =>
        z.strictObject({
          add: z.array(z.string()).optional().describe('Ids or e-mail addresses of users'),
          remove: z.array(z.string()).optional().describe('Ids or e-mail addresses of users'),
          memberships: z
            .record(z.string(), z.strictObject({ role: teamRole() }))
            .optional()
            .describe('Roles by user id'),
        }),
      success: 204,
    },
  ),
  'teams.setMember': operation(`PUT ${all}/{teamId}/members/{userId}`, 'Add or update a member of a team', {
    body: () => z.strictObject({ role: teamRole().optional() }),
    success: 204,
  }),
  'teams.removeMember': operation(`DELETE ${all}/{teamId}/members/{userId}`, 'Remove a member from a team', {
    success: 204,
  }),
};

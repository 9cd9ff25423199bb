/** Operations on access: levels granted on a space, a collection or a site, and effective levels from any source. */
import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { team, user } from './resources/people.ts';
import { hint, maybe, role, roleOrNull, roles } from './values.ts';

const operation = operationsIn('Access', '2026');

const space = { at: '/v1/spaces/{spaceId}', noun: 'space', level: roleOrNull, effective: {} };
const collection = { ...space, at: '/v1/collections/{collectionId}', noun: 'collection' };
const site = {
  at: '/v1/orgs/{organizationId}/sites/{siteId}',
  noun: 'site',
  level: role,
  effective: {
    search: z.string().optional(),
    order: hint('asc', 'desc').optional(),
    sort: hint('joinedAt', 'lastSeenAt', 'name').optional(),
    team: z.string().optional().describe('Id of a team'),
  },
};

interface Granting {
  readonly at: string;
  readonly noun: string;
  /** Schema of the level in a change of one grant. */
  readonly level: () => z.ZodType<(typeof roles)[number] | null>;
  /** Further query filters of the list of people with access. */
  readonly effective: z.ZodRawShape;
}

const permission = once(() => hint(...roles).nullable());
const ids = once(() => z.array(z.string()).min(1).optional());

/** A null role denies access here. On a site, only this operation can set null. */
function grant({ at, noun }: Granting) {
  return operation(`POST ${at}/permissions`, `Give teams and members a level on a ${noun}`, {
    body: () =>
      z.strictObject({
        role: roleOrNull(),
        teams: ids().describe('Ids of teams'),
        users: ids().describe('Ids of members'),
      }),
    success: 204,
  });
}

function listTeams({ at, noun }: Granting) {
  const entry = () => z.looseObject({ permission: permission(), team: team() });
  const summary = `List the teams that were given a level on a ${noun}`;
  return operation(`GET ${at}/permissions/teams`, summary, pageOf(entry));
}

function listUsers({ at, noun }: Granting) {
  const entry = () => z.looseObject({ permission: permission(), user: user() });
  const summary = `List the people who were given a level on a ${noun}`;
  return operation(`GET ${at}/permissions/users`, summary, pageOf(entry));
}

function change({ at, noun, level }: Granting, of: 'team' | 'user') {
  return operation(
    `PATCH ${at}/permissions/${of}s/{${of}Id}`,
    `Change the level that a ${of === 'team' ? 'team' : 'member'} was given on a ${noun}`,
    { body: () => z.strictObject({ role: level() }), success: 204 },
  );
}

function revoke({ at, noun }: Granting, of: 'team' | 'user') {
  return operation(
    `DELETE ${at}/permissions/${of}s/{${of}Id}`,
    `Remove the level that a ${of === 'team' ? 'team' : 'member'} was given on a ${noun}`,
    { success: 205 },
  );
}

function effective({ at, noun, effective: filters }: Granting) {
  const entry = () =>
    z.looseObject({
      permission: permission(),
      user: user(),
      origin: maybe(z.looseObject({ type: hint('organization', 'space', 'site') })),
    });
  const summary = `List who has access to a ${noun}, from any source`;
  const shown = () => ({ role: hint(...roles, 'guest').optional(), ...filters });
  return operation(`GET ${at}/permissions/aggregate`, summary, pageOf(entry, shown));
}

/** Operations on access to spaces, collections and sites (the newer form). */
export const access = {
  'spaces.grant': grant(space),
  'spaces.listTeams': listTeams(space),
  'spaces.updateTeam': change(space, 'team'),
  'spaces.removeTeam': revoke(space, 'team'),
  'spaces.listUsers': listUsers(space),
  'spaces.updateUser': change(space, 'user'),
  'spaces.removeUser': revoke(space, 'user'),
  'spaces.listAccess': effective(space),
  'collections.grant': grant(collection),
  'collections.listTeams': listTeams(collection),
  'collections.updateTeam': change(collection, 'team'),
  'collections.removeTeam': revoke(collection, 'team'),
  'collections.listUsers': listUsers(collection),
  'collections.updateUser': change(collection, 'user'),
  'collections.removeUser': revoke(collection, 'user'),
  'collections.listAccess': effective(collection),
  'sites.grant': grant(site),
  'sites.listTeams': listTeams(site),
  'sites.updateTeam': change(site, 'team'),
  'sites.removeTeam': revoke(site, 'team'),
  'sites.listUsers': listUsers(site),
  'sites.updateUser': change(site, 'user'),
  'sites.removeUser': revoke(site, 'user'),
  'sites.listAccess': effective(site),
};

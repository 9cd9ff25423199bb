/** Operations on access: levels granted on a space, a collection or a site, and effective levels from any source. */
import * as z from 'zod';
import { once } from './once.ts';
import { named, operationsIn, pageOf } from './operation.ts';
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

/** A null role denies access in a grant. On a site, only this operation can set null. */
function accessTo({ at, noun, level, effective: filters }: Granting) {
  const grants = `${at}/permissions`;
  const given = `was given on a ${noun}`;
  const change = { body: () => z.strictObject({ role: level() }), success: 204 } as const;
  const entry = () => ({ permission: permission(), user: user() });
  const origin = () => maybe(z.looseObject({ type: hint('organization', 'space', 'site') }));
  return {
    grant: operation(`POST ${grants}`, `Give teams and members a level on a ${noun}`, {
      body: () =>
        z.strictObject({
          role: roleOrNull(),
          teams: ids().describe('Ids of teams'),
          users: ids().describe('Ids of members'),
        }),
      success: 204,
    }),
    listTeams: operation(
      `GET ${grants}/teams`,
      `List the teams that were given a level on a ${noun}`,
      pageOf(() => z.looseObject({ permission: permission(), team: team() })),
    ),
    updateTeam: operation(`PATCH ${grants}/teams/{teamId}`, `Change the level that a team ${given}`, change),
    removeTeam: operation(`DELETE ${grants}/teams/{teamId}`, `Remove the level that a team ${given}`, {
      success: 205,
    }),
    listUsers: operation(
      `GET ${grants}/users`,
      `List the people who were given a level on a ${noun}`,
      pageOf(() => z.looseObject(entry())),
    ),
    updateUser: operation(
      `PATCH ${grants}/users/{userId}`,
      `Change the level that a member ${given}`,
      change,
    ),
    removeUser: operation(`DELETE ${grants}/users/{userId}`, `Remove the level that a member ${given}`, {
      success: 205,
    }),
    listAccess: operation(
      `GET ${grants}/aggregate`,
      `List who has access to a ${noun}, from any source`,
      pageOf(
        () => z.looseObject({ ...entry(), origin: origin() }),
        () => ({ role: hint(...roles, 'guest').optional(), ...filters }),
      ),
    ),
  };
}

/** Operations on access to spaces, collections and sites (the newer form). */
export const access = {
  ...named('spaces', accessTo(space)),
  ...named('collections', accessTo(collection)),
  ...named('sites', accessTo(site)),
};

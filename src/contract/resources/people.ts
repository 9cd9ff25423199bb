/** Members, teams and single sign-on, as responses show them (API document, "Member" to "SAMLProvider"). */

import * as z from 'zod';
import { each } from '../../util/data-schema.ts';
import { once } from '../once.ts';
import { flags, hint, maybe, resource, roles, texts, urls } from '../values.ts';
import { space } from './space.ts';

/** A person: `object` is `user`. */
export const user = resource('user', () => ({
  ...texts('displayName', 'email', 'photoURL'),
  urls: urls('location'),
}));

/** A person in an organization; a null role is a guest. `id` is the user's id. */
export const member = resource('member', () => ({
  role: maybe(hint(...roles)),
  user: maybe(user()),
  disabled: maybe(z.boolean()),
  ...texts('joinedAt', 'lastSeenAt'),
  sso: maybe(z.boolean()),
  ...each(z.number().nullish(), 'spaces', 'teams'),
}));

/** A team; `members` and `spaces` are counts. */
export const team = resource('team', () => ({
  title: maybe(z.string()),
  ...each(z.number().nullish(), 'members', 'spaces'),
  createdAt: maybe(z.string()),
  permissions: flags('admin', 'view'),
}));

const teamMember = once(() => z.looseObject({ role: hint('owner', 'member') }));

/** An entry in a team's members. */
export const teamMemberEntry = once(() =>
  z.looseObject({ organization: maybe(member()), team: maybe(teamMember()), permissions: flags('view') }),
);

/** An entry in a member's teams. */
export const memberTeamEntry = once(() =>
  z.looseObject({ team: maybe(team()), member: maybe(teamMember()) }),
);

/** An entry in a member's spaces. */
export const memberSpaceEntry = once(() =>
  z.looseObject({ permission: maybe(hint(...roles)), space: maybe(space()) }),
);

/** A SAML provider; `defaultTeam` is a whole team here and an id in requests. */
export const samlProvider = resource('saml-provider', () => ({
  ...texts('label', 'ssoURL', 'entityID', 'certificate'),
  defaultTeam: maybe(team()),
  defaultRole: maybe(hint(...roles)),
  createdAt: maybe(z.string()),
  service: urls('acsURL', 'startURL', 'entityID'),
  urls: urls('location'),
}));

/** Login addresses. */
export const ssoLogin = once(() =>
  z.looseObject({ id: z.string(), label: maybe(z.string()), startURL: maybe(z.string()) }),
);

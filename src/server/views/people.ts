import type { OperationOutput } from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { rankOf, seenBy } from '../access.ts';
import type { Context } from '../context.ts';
import type { InviteRow, MemberRow, OrgRow, SamlRow, TeamRow, UserRow } from '../store/rows.ts';
import { collectionView, newer, spaceView } from './content.ts';

/** The e-mail address is that of the member in an organization, because users have none. */
function userView(
  context: Context,
  org: string,
  row: Pick<UserRow, 'id' | 'displayName' | 'email' | 'photoURL'>,
) {
  return {
    object: 'user',
    ...picked(row, 'id', 'displayName', 'email', 'photoURL'),
    urls: { location: `${context.base}/v1/orgs/${org}/members/${row.id}` },
  };
}

export function userViewOf(context: Context, org: string, id: string) {
  return userView(context, org, context.store.get('user', id) ?? { id, displayName: '', email: '' });
}

export function orgView(context: Context, row: OrgRow): OperationOutput<'orgs.get'> {
  const rank = context.rankIn(row.id);
  return {
    object: 'organization',
    ...picked(row, 'id', 'title', 'createdAt', 'emailDomains', 'hostname', 'type', 'useCase', 'defaultRole'),
    defaultContent: row.defaultSite === undefined ? undefined : { type: 'site', site: row.defaultSite },
    ...picked(row, 'sso', 'ai', 'inviteLinks', 'plan'),
    ...newer(context, { mergeRules: row.mergeRules ?? { type: 'none' } }),
    urls: {
      location: `${context.base}/v1/orgs/${row.id}`,
      app: `${context.base}/app/${row.id}`,
      logo: row.logo,
    },
    permissions: {
      view: rank >= 0,
      admin: rank >= rankOf('admin'),
      ownTeam: context.store
        .owned('teamMember', `${row.id}/${context.user}`)
        .some((membership) => membership.role === 'owner'),
      createContent: rank >= rankOf('create'),
      createOpenAPISpec: rank >= rankOf('create'),
      viewBilling: rank >= rankOf('admin'),
      listMembers: rank >= rankOf('read'),
      listTeams: rank >= rankOf('read'),
      listIntegrations: rank >= rankOf('read'),
    },
  };
}

export function inviteView(context: Context, row: InviteRow): OperationOutput<'linkInvites.get'> {
  const { id, role, level, redundant } = row;
  if (level === undefined) return { object: 'invite', id, role, redundant };
  const space = row.space === undefined ? undefined : context.store.get('space', row.space);
  const collection =
    row.collection === undefined ? undefined : context.store.get('collection', row.collection);
  const target = {
    space: space && spaceView(context, space),
    collection: collection && collectionView(context, collection),
  };
  return { object: 'invite', id, level, redundant, ...defined(target) };
}

/** Views of several members of one organization; equal sets of spaces are counted once. */
export function memberViews(context: Context) {
  const counts = new Map<string, number>();
  const spaceCount = (row: MemberRow) => {
    const seen = seenBy(context, row);
    if (seen === undefined) return 0;
    const name = seen.type === 'ids' ? row.id : seen.type;
    return rememberedIn(counts, name, () => context.store.countSpaces(row.org, seen));
  };
  return (row: MemberRow): OperationOutput<'members.get'> => {
    return {
      object: 'member',
      id: row.user,
      role: row.role,
      user: userView(context, row.org, { ...row, id: row.user }),
      ...picked(row, 'disabled', 'joinedAt', 'lastSeenAt', 'sso'),
      spaces: spaceCount(row),
      teams: row.teams,
    };
  };
}

export function teamView(context: Context, row: TeamRow): OperationOutput<'teams.get'> {
  return {
    object: 'team',
    ...picked(row, 'id', 'title', 'members'),
    spaces: 0,
    createdAt: row.createdAt,
    permissions: { admin: ownsTeam(context, row), view: context.rankIn(row.org) >= rankOf('read') },
  };
}

export function ownsTeam(context: Context, row: TeamRow): boolean {
  if (context.rankIn(row.org) >= rankOf('admin')) return true;
  return context.store.get('teamMember', `${row.id}/${context.user}`)?.role === 'owner';
}

export function samlView(context: Context, row: SamlRow): OperationOutput<'saml.get'> {
  const team = row.defaultTeam === undefined ? undefined : context.store.get('team', row.defaultTeam);
  return {
    object: 'saml-provider',
    ...picked(row, 'id', 'label', 'ssoURL', 'entityID', 'certificate'),
    defaultTeam: team === undefined ? undefined : teamView(context, team),
    ...picked(row, 'defaultRole', 'createdAt'),
    service: {
      acsURL: `${context.base}/saml/${row.id}/acs`,
      startURL: `${context.base}/saml/${row.id}/start`,
      entityID: `${context.base}/saml/${row.id}`,
    },
    urls: { location: `${context.base}/v1/orgs/${row.org}/saml/${row.id}` },
  };
}

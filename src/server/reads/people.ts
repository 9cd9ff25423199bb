/** Organizations, members, teams, providers and invites as rows, made from reads. */
import type { OperationOutput } from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';
import { putGrant } from '../access.ts';
import type { PathParams } from '../context.ts';
import type { Role, Rows } from '../store/rows.ts';
import { type Loader, present } from './loader.ts';

type Member = OperationOutput<'members.get'>;
type Team = OperationOutput<'teams.get'>;

export function loadPeople(loader: Loader): void {
  const { reads } = loader;
  for (const { remote } of reads.objects('orgs.list', 'orgs.get')) loadOrganization(loader, remote);
  for (const { org, remote } of reads.objects('members.list', 'members.get')) loadMember(loader, org, remote);
  for (const { org, remote } of reads.objects('teams.list', 'teams.get')) loadTeam(loader, org, remote);
  for (const { params, remote } of reads.objects('teams.listMembers')) loadTeamMember(loader, params, remote);
  for (const { org, remote } of reads.objects('saml.list', 'saml.get')) loadProvider(loader, org, remote);
  for (const { org, remote } of reads.objects('linkInvites.list', 'linkInvites.get')) {
    const { id, redundant, role, level } = remote;
    if (loader.store.get('invite', id) !== undefined) continue;
    const row = { id, org, redundant: redundant ?? false };
    loader.put('invite', { ...row, ...defined({ role, level }) } as Rows['invite']);
  }
}

function loadOrganization(loader: Loader, remote: OperationOutput<'orgs.get'>): void {
  loader.put('org', {
    ...remote,
    ...present(remote, ['sso', 'ai', 'useCase', 'hostname', 'mergeRules']),
    org: remote.id,
    ...defined({
      defaultSite: remote.defaultContent?.site ?? undefined,
      logo: remote.urls?.logo ?? undefined,
    }),
  } as Omit<Rows['org'], 'order'>);
}

/** Lists of members are in the order of joining, the last one first. */
function loadMember(loader: Loader, org: string, remote: Member): void {
  const { user, role } = remote;
  const email = user?.email ?? '';
  const displayName = user?.displayName ?? '';
  const id = `${org}/${remote.id}`;
  if (loader.store.get('member', id) !== undefined) return;
  loader.put('member', {
    id,
    org,
    user: remote.id,
    role,
    displayName,
    email,
    ...defined({ photoURL: user?.photoURL ?? undefined }),
    ...present(remote, ['disabled', 'joinedAt', 'sso', 'lastSeenAt']),
    teams: remote.teams ?? 0,
    order: -loader.store.next(),
  } as Rows['member']);
  if (loader.store.get('user', remote.id) === undefined)
    loader.put('user', { id: remote.id, org: '', displayName, email: email === '' ? remote.id : email });
}

function loadTeam(loader: Loader, org: string, remote: Team): void {
  const unknown = { title: '', members: 0, createdAt: loader.at };
  const known = present(remote, ['title', 'members', 'createdAt']);
  loader.put('team', { id: remote.id, org, ...unknown, ...known });
}

type TeamMember = OperationOutput<'teams.listMembers'>['items'][number];

function loadTeamMember(loader: Loader, params: PathParams, remote: TeamMember): void {
  const { organization: person, team: membership } = remote;
  if (person === null || person === undefined) return;
  const { organizationId: org = '', teamId: team = '' } = params;
  loadMember(loader, org, person);
  const role = membership?.role ?? 'member';
  const row = { id: `${team}/${person.id}`, org, team, user: person.id, role };
  loader.put('teamMember', row as Omit<Rows['teamMember'], 'order'>);
}

function loadProvider(loader: Loader, org: string, remote: OperationOutput<'saml.get'>): void {
  const { id, defaultRole, defaultTeam: team = null } = remote;
  if (team !== null && loader.store.get('team', team.id) === undefined) loadTeam(loader, org, team);
  loader.put('saml', {
    id,
    org,
    label: '',
    createdAt: loader.at,
    defaultRole,
    ...present(remote, ['label', 'createdAt', 'entityID', 'certificate', 'ssoURL']),
    ...defined({ defaultTeam: team?.id }),
  } as Omit<Rows['saml'], 'order'>);
}

/** Runs after all objects that can have grants. */
export function loadGrants(loader: Loader): void {
  const places = [
    ['spaces', 'space', 'spaceId'],
    ['collections', 'collection', 'collectionId'],
    ['sites', 'site', 'siteId'],
  ] as const;
  for (const [operations, kind, param] of places) {
    const orgOf = (params: PathParams) => ({
      org: params.organizationId ?? loader.store.get(kind, params[param] ?? '')?.org ?? '',
      on: `${kind}/${params[param]}`,
    });
    for (const { params, remote } of loader.reads.objects(`${operations}.listTeams` as const)) {
      const to = `team/${remote.team.id}`;
      putGrant(loader.store, { ...orgOf(params), to }, remote.permission as Role | null);
    }
    for (const { params, remote } of loader.reads.objects(`${operations}.listUsers` as const)) {
      const { org, on } = orgOf(params);
      loadMember(loader, org, { id: remote.user.id, user: remote.user, role: null });
      putGrant(loader.store, { org, on, to: `user/${remote.user.id}` }, remote.permission as Role | null);
    }
  }
}

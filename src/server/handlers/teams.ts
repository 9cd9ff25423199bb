import type { teams } from '../../contract/teams.ts';
import { defined } from '../../util/defined.ts';
import { dropGrantsTo, rankOf } from '../access.ts';
import type { Context, PathParams } from '../context.ts';
import { forbidden, invalid, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfRows } from '../paging.ts';
import type { MemberRow, TeamMemberRow, TeamRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { memberViews, ownsTeam, teamView } from '../views/people.ts';

function managedTeam(context: Context, params: PathParams): TeamRow {
  const row = context.orgObject('team', params, 'read');
  if (!ownsTeam(context, row)) throw forbidden('only admins and owners of the team may do this');
  return row;
}

function memberBy(context: Context, org: string, idOrEmail: string): MemberRow | undefined {
  const byId = context.store.get('member', `${org}/${idOrEmail}`);
  if (byId !== undefined || !idOrEmail.includes('@')) return byId;
  const user = context.store.find('user', 'user', idOrEmail.toLowerCase());
  return user === undefined ? undefined : context.store.get('member', `${org}/${user.id}`);
}

function demandMember(context: Context, org: string, idOrEmail: string): MemberRow {
  const member = memberBy(context, org, idOrEmail);
  if (member === undefined) throw invalid(`"${idOrEmail.slice(0, 80)}" is not a member of the organization`);
  return member;
}

function managedBy(context: Context, org: string, user: string): { ids?: readonly string[] } {
  const member = context.store.get('member', `${org}/${user}`);
  if (member === undefined) return { ids: [] };
  if (member.role === 'admin') return {};
  const owned = context.store.owned('teamMember', member.id).filter((one) => one.role === 'owner');
  return { ids: owned.map((one) => one.team) };
}

export const teamHandlers: HandlersOf<typeof teams> = {
  'teams.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', 'read');
    return pageOfRows(context, 'team', org.id, {
      query,
      slice: {
        ...defined({ text: query.title }),
        ...(query.owner === undefined ? {} : managedBy(context, org.id, query.owner)),
      },
      view: (row) => teamView(context, row),
    });
  },

  'teams.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'admin');
    const members = (body.members ?? []).map((id) => {
      const member = context.store.get('member', `${org.id}/${id}`);
      if (member === undefined)
        throw invalid(`body.members: "${id.slice(0, 80)}" is not a member of the organization`);
      return member;
    });
    const row = context.store.put('team', {
      ...context.fresh('team', org.id),
      title: body.title,
      members: 0,
    });
    for (const member of members) joinTeam(context.store, row, member, 'member');
    return teamView(context, context.store.get('team', row.id) ?? row);
  },

  'teams.get': (context, { params }) => teamView(context, context.orgObject('team', params, 'read')),

  'teams.delete': (context, { params }) => {
    const row = context.orgObject('team', params, 'admin');
    deleteTeam(context.store, row);
    if (context.variants['dead-grants'] === 'go') dropGrantsTo(context.store, row.org, `team/${row.id}`);
  },

  'teams.update': (context, { params, body }) => {
    const row = managedTeam(context, params);
    return teamView(context, context.store.put('team', { ...row, title: body.title }));
  },

  'teams.listMembers': (context, { params, query }) => {
    const row = context.orgObject('team', params, 'read');
    const view = memberViews(context);
    const visible = context.rankIn(row.org) >= rankOf('read');
    return pageOfRows(context, 'teamMember', row.id, {
      query,
      view: (membership) => {
        const member = context.store.get('member', `${row.org}/${membership.user}`);
        return {
          organization: member === undefined ? undefined : view(member),
          team: { role: membership.role },
          permissions: { view: visible },
        };
      },
    });
  },

  'teams.updateMembers': (context, { params, body }) => {
    const row = managedTeam(context, params);
    const removed = new Set(
      (body.remove ?? []).flatMap((one) => memberBy(context, row.org, one)?.user ?? []),
    );
    const roles = Object.entries(body.memberships ?? {});
    const joining = [
      ...(body.add ?? []).map((one) => ({ member: demandMember(context, row.org, one), role: null })),
      ...roles.map(([id, { role }]) => ({ member: demandMember(context, row.org, id), role })),
    ];
    for (const { member, role } of joining) {
      if (!removed.has(member.user)) joinTeam(context.store, row, member, role);
    }
    for (const user of removed) {
      const membership = context.store.get('teamMember', `${row.id}/${user}`);
      if (membership !== undefined) leaveTeam(context.store, membership);
    }
  },

  'teams.setMember': (context, { params, body }) => {
    const row = managedTeam(context, params);
    const member = context.member(row.org, params.userId ?? '');
    joinTeam(context.store, row, member, body.role ?? null);
  },

  'teams.removeMember': (context, { params }) => {
    const row = managedTeam(context, params);
    const membership = context.store.get('teamMember', `${row.id}/${params.userId ?? ''}`);
    if (membership === undefined) throw notFound('team member');
    leaveTeam(context.store, membership);
  },
};

function joinTeam(store: Store, team: TeamRow, member: MemberRow, role: 'owner' | 'member' | null): void {
  const id = `${team.id}/${member.user}`;
  const known = store.get('teamMember', id);
  if (known !== undefined) {
    if (role !== null && role !== known.role) store.put('teamMember', { ...known, role });
    return;
  }
  store.put('teamMember', {
    id,
    org: team.org,
    team: team.id,
    user: member.user,
    role: role ?? 'member',
    order: store.next(),
  });
  recount(store, team.id, member.id);
}

export function leaveTeam(store: Store, membership: TeamMemberRow): void {
  store.remove('teamMember', membership.id);
  recount(store, membership.team, `${membership.org}/${membership.user}`);
}

function deleteTeam(store: Store, team: TeamRow): void {
  for (const membership of store.children('teamMember', team.id)) leaveTeam(store, membership);
  for (const provider of store.tagged('saml', team.id)) {
    const { defaultTeam: _defaultTeam, ...rest } = provider;
    store.put('saml', rest);
  }
  store.remove('team', team.id);
}

function recount(store: Store, teamId: string, memberId: string): void {
  const team = store.get('team', teamId);
  if (team !== undefined) store.put('team', { ...team, members: store.count('teamMember', teamId) });
  const member = store.get('member', memberId);
  if (member !== undefined)
    store.put('member', { ...member, teams: store.countOwned('teamMember', memberId) });
}

/** Memberships of teams in the store; keeps the counts of teams and members in step. Checks no access. */
import type { MemberRow, TeamMemberRow, TeamRow } from './rows.ts';
import type { Store } from './store.ts';

/** Puts a member into a team, or changes what they are in it. */
export function joinTeam(
  store: Store,
  team: TeamRow,
  member: MemberRow,
  role: 'owner' | 'member' | null,
): void {
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

/** Takes someone out of a team. */
export function leaveTeam(store: Store, membership: TeamMemberRow): void {
  store.remove('teamMember', membership.id);
  recount(store, membership.team, `${membership.org}/${membership.user}`);
}

/** Deletes a team, its memberships, and its part in SAML providers. */
export function deleteTeam(store: Store, team: TeamRow): void {
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

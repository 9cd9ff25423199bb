/** Levels of teams and people on spaces, collections and sites. */
import type { access } from '../../contract/access.ts';
import { named } from '../../contract/operation.ts';
import { compareTexts } from '../../util/lists.ts';
import { levelOf, onContent, putGrant, saidOnSite } from '../access.ts';
import type { Context, PathParams } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { type PagedInput, type PageQuery, pageOfList } from '../paging.ts';
import type { MemberRow, Role } from '../store/rows.ts';
import { memberViews, teamView, userViewOf } from '../views/people.ts';
import { siteView } from '../views/site.ts';

type On = 'spaces' | 'collections' | 'sites';

/** `on`: kind and id, like `space/sp_1`. */
function target(context: Context, on: On, params: PathParams, least: Role) {
  if (on === 'sites') {
    const site = context.site(params, least);
    return {
      org: site.org,
      on: `site/${site.id}`,
      levelOf: (member: MemberRow) => {
        const said = saidOnSite(context, member, site);
        if (said === undefined)
          return { role: member.role, origin: { type: 'organization', organization: site.org } };
        const { role, reason } = said;
        const row = said.team === undefined ? undefined : context.store.get('team', said.team);
        const team = row && teamView(context, row);
        return { role, origin: { type: 'site', site: siteView(context, site), reason, team } };
      },
    };
  }
  const row =
    on === 'spaces'
      ? context.space(params.spaceId ?? '', least)
      : context.collection(params.collectionId ?? '', least);
  const level = (member: MemberRow) => ({ role: levelOf(context, member, row), origin: undefined });
  return { org: row.org, on: onContent(row), levelOf: level };
}

type AccessHandlers = HandlersOf<typeof access>;

function grant(on: On): AccessHandlers['sites.grant'] {
  return (context, { params, body }) => {
    const { org, on: where } = target(context, on, params, 'admin');
    const { role, teams = [], users = [] } = body;
    if (teams.length + users.length === 0) throw invalid('body: teams or users required');
    if (teams.some((id) => context.store.get('team', id)?.org !== org)) throw notFound('team');
    const people = users.map((id) => `user/${context.member(org, id).user}`);
    const to = [...teams.map((id) => `team/${id}`), ...people];
    for (const one of to) {
      const known = context.store.get('grant', `${where} ${one}`);
      const way = context.variants['grant-again'];
      if (known !== undefined && known.role !== role && way === '409')
        throw conflict('it has another level already');
      if (known === undefined || way === 'changes')
        putGrant(context.store, { org, on: where, to: one }, role);
    }
  };
}

type LevelChange = { readonly params: PathParams; readonly body: { readonly role: Role | null } | undefined };

/** Removes the level if the request has no body. */
function change(on: On, of: 'team' | 'user') {
  return (context: Context, { params, body }: LevelChange): undefined => {
    const { org, on: where } = target(context, on, params, 'admin');
    const to = `${of}/${params[`${of}Id`] ?? ''}`;
    const isThere = context.store.get('grant', `${where} ${to}`) !== undefined;
    if (!isThere && (body === undefined || context.variants['missing-grant'] === '404'))
      throw notFound('permission');
    putGrant(context.store, { org, on: where, to }, body?.role);
    return undefined;
  };
}

function granted(context: Context, on: On, of: 'team' | 'user', { params, query }: PagedInput) {
  const { org, on: where } = target(context, on, params, 'read');
  const all = context.store.children('grant', where).filter(({ to }) => to.startsWith(`${of}/`));
  return {
    org,
    list: <T>(view: (id: string, role: Role | null) => T) =>
      pageOfList(context, all, {
        of: `${where} ${of}`,
        query,
        key: (row) => [row.order, row.id],
        view: (row) => view(row.to.slice(of.length + 1), row.role),
      }),
  };
}

function listTeams(on: On): AccessHandlers['sites.listTeams'] {
  return (context, input) => {
    const { org, list } = granted(context, on, 'team', input);
    // Stands in for a deleted team.
    const dead = { org, createdAt: context.at, members: 0, order: 0 };
    return list((id, permission) => ({
      permission,
      team: teamView(context, context.store.get('team', id) ?? { ...dead, id, title: id }),
    }));
  };
}

function listUsers(on: On): AccessHandlers['sites.listUsers'] {
  return (context, input) => {
    const { org, list } = granted(context, on, 'user', input);
    return list((id, permission) => ({ permission, user: userViewOf(context, org, id) }));
  };
}

type AccessFilter = 'role' | 'search' | 'team' | 'sort' | 'order';
type AccessQuery = PageQuery & Partial<Record<AccessFilter, string | undefined>>;

function listAccess(on: On) {
  return (context: Context, { params, query }: PagedInput<AccessQuery>) => {
    const { org, on: where, levelOf: level } = target(context, on, params, 'read');
    const { role, search = '', team, sort = 'joinedAt', order } = query;
    const isWanted = ({ displayName, email, user }: MemberRow) =>
      `${displayName}\n${email}`.toLowerCase().includes(search.toLowerCase()) &&
      (team === undefined || context.store.get('teamMember', `${team}/${user}`) !== undefined);
    const keyOf = (member: MemberRow) =>
      sort === 'name'
        ? member.displayName
        : sort === 'lastSeenAt'
          ? (member.lastSeenAt ?? '')
          : member.joinedAt;
    const direction = order === 'desc' ? -1 : 1;
    const all = context.store
      .children('member', org)
      .filter(isWanted)
      .map((member) => ({ member, key: keyOf(member), ...level(member) }))
      .filter((one) =>
        role === undefined ? one.role !== null || on === 'sites' : (one.role ?? 'guest') === role,
      )
      .sort((one, two) => compareTexts(one.key, two.key) * direction);
    const view = memberViews(context);
    return pageOfList(context, all, {
      of: where,
      query,
      descending: direction < 0,
      key: ({ key, member }) => [key, member.id],
      view: ({ member, role: permission, origin }) => {
        const { user, disabled, lastSeenAt } = view(member);
        return {
          permission,
          user: user ?? userViewOf(context, org, member.user),
          ...(origin === undefined ? {} : { origin, disabled, lastSeenAt }),
        };
      },
    });
  };
}

const accessTo = (on: On) => ({
  grant: grant(on),
  listTeams: listTeams(on),
  updateTeam: change(on, 'team'),
  removeTeam: change(on, 'team'),
  listUsers: listUsers(on),
  updateUser: change(on, 'user'),
  removeUser: change(on, 'user'),
  listAccess: listAccess(on),
});

export const accessHandlers: AccessHandlers = {
  ...named('spaces', accessTo('spaces')),
  ...named('collections', accessTo('collections')),
  ...named('sites', accessTo('sites')),
};

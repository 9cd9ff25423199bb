import { createHmac } from 'node:crypto';
import type { members } from '../../contract/members.ts';
import type { sso } from '../../contract/sso.ts';
import { defined } from '../../util/defined.ts';
import { dropGrantsTo, levelOf, rankOf, seenBy } from '../access.ts';
import type { Context, PathParams } from '../context.ts';
import { conflict, forbidden, invalid } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { listIn, pageOfList, pageOfRows, signature } from '../paging.ts';
import type { MemberRow, Role } from '../store/rows.ts';
import { spaceView } from '../views/content.ts';
import { memberViews, samlView, teamView } from '../views/people.ts';
import { leaveTeam } from './teams.ts';

function member(context: Context, params: PathParams, least: Role | null): MemberRow {
  const org = context.org(params.organizationId ?? '', least);
  return context.member(org.id, params.userId ?? '');
}

function ownMember(context: Context, params: PathParams): MemberRow {
  const row = member(context, params, null);
  if (row.user !== context.user && context.rankIn(row.org) < rankOf('admin')) {
    throw forbidden('requires role admin to read another member');
  }
  return row;
}

function keepAnAdmin(context: Context, row: MemberRow): void {
  if (row.role !== 'admin' || row.disabled) return;
  const admins = context.store.slice('member', row.org, { tag: 'admin', limit: 1000 });
  if (admins.filter((one) => !one.disabled).length < 2) {
    throw conflict('an organization must have at least one admin');
  }
}

type Invited = Pick<MemberRow, 'email' | 'role' | 'sso'>;

function invitePerson(context: Context, org: string, { email, role, sso }: Invited): string {
  const { store } = context;
  const known = store.find('user', 'user', email);
  const displayName = known?.displayName ?? email.replace(/@.*/, '');
  const user = known?.id ?? context.id('user');
  if (known === undefined) store.put('user', { id: user, org: '', email, displayName, order: store.next() });
  if (context.variants.invites !== 'at-once') return user;
  const row = { id: `${org}/${user}`, org, user, role, displayName, email, disabled: false, sso, teams: 0 };
  store.put('member', { ...row, joinedAt: context.at, order: context.now.getTime() });
  return user;
}

export const memberHandlers: HandlersOf<typeof members> = {
  'members.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', 'read');
    return pageOfRows(context, 'member', org.id, {
      query,
      slice: {
        descending: query.order !== 'asc',
        byAlt: query.sort === 'lastSeenAt',
        ...defined({ tag: query.role, text: query.search }),
      },
      view: memberViews(context),
    });
  },

  'members.get': (context, { params }) => {
    const least = params.userId === context.user ? null : 'read';
    return memberViews(context)(member(context, params, least));
  },

  'members.delete': (context, { params }) => {
    const row = member(context, params, 'admin');
    keepAnAdmin(context, row);
    for (const membership of context.store.owned('teamMember', row.id)) leaveTeam(context.store, membership);
    dropGrantsTo(context.store, row.org, `user/${row.user}`);
    context.store.remove('member', row.id);
    if (context.form === '2026') context.status = 205;
  },

  'members.update': (context, { params, body }) => {
    const row = member(context, params, 'admin');
    if (body.role !== 'admin') keepAnAdmin(context, row);
    return memberViews(context)(context.store.put('member', { ...row, role: body.role }));
  },

  'members.ping': (context, { params }) => {
    const org = context.org(params.organizationId ?? '', null);
    const row = member(context, { organizationId: org.id, userId: context.user }, null);
    context.store.put('member', { ...row, lastSeenAt: context.at });
    return { serviceVisitorClaims: visitorClaims(context, row) };
  },

  'members.setSso': (context, { params }) => {
    const row = member(context, params, 'admin');
    return memberViews(context)(context.store.put('member', { ...row, sso: true }));
  },

  'members.listSpaces': (context, { params, query }) => {
    const row = ownMember(context, params);
    const seen = seenBy(context, row);
    if (seen === undefined) return { items: [], count: 0 };
    return pageOfRows(context, 'space', row.org, {
      query,
      slice: { byOwner: true, seen, descending: query.order === 'desc' },
      view: (space) => ({ permission: levelOf(context, row, space), space: spaceView(context, space) }),
    });
  },

  'invites.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'admin');
    const { role, sso = false, emails } = body;
    const people = emails.map((one) => {
      const own: { email: string; role?: Role | null | undefined } =
        typeof one === 'string' ? { email: one } : one;
      const [given = org.defaultRole] = [own.role, role].filter((each) => each !== undefined);
      return { email: own.email.toLowerCase(), role: given };
    });
    const known = new Set(context.store.children('member', org.id).map(({ email }) => email.toLowerCase()));
    const hasProvider = context.store.slice('saml', org.id, { limit: 1 }).length > 0;
    const fresh = people.filter(({ email }) => !known.has(email));
    const failed = sso && !hasProvider ? fresh.map(({ email }) => email) : [];
    const added = fresh.filter(({ email }) => !failed.includes(email));
    const users = added.map((person) => invitePerson(context, org.id, { ...person, sso }));
    return {
      users: context.variants.invites === 'unknown' ? [] : users,
      invited: added.length,
      ...(failed.length === 0 ? {} : { failedSSOEmails: failed }),
    };
  },

  'members.listTeams': (context, { params, query }) => {
    const row = ownMember(context, params);
    const title = (query.title ?? '').toLowerCase();
    const all = context.store.owned('teamMember', row.id).flatMap((membership) => {
      const team = context.store.get('team', membership.team);
      return team?.title.toLowerCase().includes(title) === true ? [{ membership, team }] : [];
    });
    return pageOfList(context, all, {
      of: row.id,
      query,
      key: ({ membership }) => [membership.order, membership.id],
      view: ({ membership: { role }, team }) => ({ team: teamView(context, team), member: { role } }),
    });
  },
};

function visitorClaims(context: Context, row: MemberRow): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(context.now.getTime() / 1000);
  const claims = { sub: row.user, organization: row.org, iat: seconds, exp: seconds + 3600 };
  const unsigned = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const signed = createHmac('sha256', signature(context, 'visitor')).update(unsigned).digest('base64url');
  return `${unsigned}.${signed}`;
}

function checkTeam(context: Context, org: string, team: string | undefined): void {
  if (team !== undefined && context.store.get('team', team)?.org !== org) {
    throw invalid('body.defaultTeam: no such team');
  }
}

export const ssoHandlers: HandlersOf<typeof sso> = {
  'saml.list': listIn('saml', 'admin', samlView),

  'saml.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'admin');
    checkTeam(context, org.id, body.defaultTeam);
    const row = context.store.put('saml', {
      defaultRole: null,
      ...defined(body),
      label: body.label,
      ...context.fresh('saml', org.id),
    });
    return samlView(context, row);
  },

  'saml.get': (context, { params }) => samlView(context, context.orgObject('saml', params, 'admin')),

  'saml.delete': (context, { params }) => {
    const row = context.orgObject('saml', params, 'admin');
    if (context.store.get('org', row.org)?.sso === true && context.store.count('saml', row.org) === 1) {
      throw conflict('cannot delete the last SAML provider while sso is on');
    }
    context.store.remove('saml', row.id);
  },

  'saml.update': (context, { params, body }) => {
    const row = context.orgObject('saml', params, 'admin');
    checkTeam(context, row.org, body.defaultTeam);
    return samlView(context, context.store.put('saml', { ...row, ...defined(body) }));
  },

  'sso.list': (context, { params }) => {
    const org = context.org(params.organizationId ?? '', null);
    const items = context.store
      .children('saml', org.id)
      .map((row) => ({ id: row.id, label: row.label, startURL: `${context.base}/saml/${row.id}/start` }));
    return { items };
  },
};

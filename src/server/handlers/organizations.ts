import type { organizations } from '../../contract/organizations.ts';
import { documentedRule } from '../../contract/values.ts';
import { defined } from '../../util/defined.ts';
import { sameJson } from '../../util/json.ts';
import { searchOrg } from '../content/search.ts';
import type { Context } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfList } from '../paging.ts';
import { byOrder } from '../store/places.ts';
import type { MergeRules, OrgRow, Role } from '../store/rows.ts';
import { inviteView, orgView } from '../views/people.ts';

function ownOrgs(context: Context): OrgRow[] {
  return context.store
    .owned('member', context.user)
    .filter((member) => !member.disabled)
    .flatMap((member) => context.store.get('org', member.org) ?? [])
    .sort(byOrder);
}

/**
 * Requires rules to be documented, unless the object has them already: a newer service may know more. People in them must be members,
 * unless the variant allows others.
 */
export function fitRules<T extends object>(
  context: Context,
  { org, before }: { readonly org: string; readonly before: MergeRules | undefined },
  body: T,
): T {
  const { mergeRules } = body as { readonly mergeRules?: MergeRules };
  const way = context.variants['merge-rule-people'];
  if (mergeRules?.rules === undefined) return body;
  for (const [at, rule] of mergeRules.rules.entries()) {
    if (before?.rules?.some((one) => sameJson(one, rule)) === true) continue;
    const [issue] = documentedRule().safeParse(rule).error?.issues ?? [];
    if (issue !== undefined)
      throw invalid(`body.mergeRules.rules.${[at, ...issue.path].join('.')}: ${issue.message}`);
  }
  if (way === 'kept') return body;
  const isMember = (id: string) => context.store.get('member', `${org}/${id}`) !== undefined;
  const rules = mergeRules.rules.map((rule) =>
    rule.users === undefined ? rule : { ...rule, users: rule.users.filter(isMember) },
  );
  const isWhole = rules.every(({ users }, at) => users?.length === mergeRules.rules?.[at]?.users?.length);
  if (!isWhole && way === '400') throw invalid('body.mergeRules: a user is not a member');
  return { ...body, mergeRules: { ...mergeRules, rules } };
}

export const organizationHandlers: HandlersOf<typeof organizations> = {
  'orgs.list': (context, { query }) =>
    pageOfList(context, ownOrgs(context), {
      of: 'orgs',
      query,
      key: (row) => [row.order, row.id],
      view: (row) => orgView(context, row),
    }),

  'orgs.get': (context, { params }) => orgView(context, context.org(params.organizationId ?? '', null)),

  'orgs.update': (context, { params, body }) => {
    const row = context.org(params.organizationId ?? '', 'admin');
    const { defaultContent, logo, ...fields } = body;
    const { defaultSite, logo: oldLogo, ...rest } = row;
    if (context.form === '2026' && fields.title !== fields.title?.trim())
      throw invalid('body.title: must not begin or end with a space');
    const site = defaultContent === undefined ? defaultSite : defaultContent?.site;
    const newLogo = logo === undefined ? oldLogo : (logo ?? undefined);
    const changed: OrgRow = {
      ...rest,
      ...defined(fitRules(context, { org: row.id, before: row.mergeRules }, fields)),
      ...defined({ defaultSite: site, logo: newLogo }),
    };
    checkOrg(context, row, changed);
    return orgView(context, context.store.put('org', changed));
  },

  'linkInvites.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', 'admin');
    const rows = context.store.children('invite', org.id).filter(({ level }) => level === undefined);
    return pageOfList(context, rows, {
      of: org.id,
      query,
      key: (row) => [row.order, row.id],
      view: (row) => inviteView(context, row),
    });
  },

  'linkInvites.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'admin');
    const { role, level, space, collection } = body;
    const targets = [space, collection].filter((one) => one !== undefined).length;
    const isFit =
      role === undefined ? level !== undefined && targets === 1 : level === undefined && targets === 0;
    if (!isFit) throw invalid('body: pass either role, or level with space or collection');
    if (space !== undefined && context.space(space, 'admin').org !== org.id) throw notFound('space');
    if (collection !== undefined && context.collection(collection, 'admin').org !== org.id)
      throw notFound('collection');
    const own = defined({ role, level, space, collection });
    const row = { ...context.fresh('inv', org.id), redundant: true, ...own };
    return inviteView(context, context.store.put('invite', row));
  },

  'linkInvites.get': (context, { params }) =>
    inviteView(context, context.orgObject('invite', params, 'admin')),

  'linkInvites.delete': (context, { params }) => {
    context.store.remove('invite', context.orgObject('invite', params, 'admin').id);
  },

  'linkInvites.update': (context, { params, body }) => {
    const row = context.orgObject('invite', params, 'admin');
    const [own, other] =
      row.level === undefined ? (['role', 'level'] as const) : (['level', 'role'] as const);
    const { [own]: given, [other]: wrong } = body as {
      readonly role?: Role | null;
      readonly level?: Role | null;
    };
    if (given === undefined || wrong !== undefined) throw invalid(`body: pass ${own}`);
    return inviteView(context, context.store.put('invite', { ...row, [own]: given }));
  },

  'orgs.search': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', null);
    return searchOrg(context, org.id, query);
  },

  'emailDomains.listOrgs': (context, { params }) => {
    const domain = (params.emailDomain ?? '').toLowerCase();
    const rows = ownOrgs(context).filter((row) =>
      row.emailDomains.some((one) => one.toLowerCase() === domain),
    );
    return { organizations: rows.map((row) => orgView(context, row)) };
  },
};

function checkOrg(context: Context, before: OrgRow, after: OrgRow): void {
  const { store } = context;
  for (const domain of after.emailDomains) {
    if (!/^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u.test(domain))
      throw invalid(`body.emailDomains: "${domain}" is not a valid domain`);
  }
  if (new Set(after.emailDomains.map((one) => one.toLowerCase())).size < after.emailDomains.length) {
    throw invalid('body.emailDomains: duplicate domain');
  }
  if (after.defaultSite !== undefined && after.defaultSite !== before.defaultSite) {
    if (store.get('site', after.defaultSite)?.org !== after.id)
      throw invalid('body.defaultContent: no such site');
  }
  const demandsProvider = context.variants['sso-without-provider'] === '409';
  if (demandsProvider && after.sso && !before.sso && store.count('saml', after.id) === 0) {
    throw conflict('sso requires a SAML provider');
  }
  const { hostname } = after;
  if (hostname === undefined || hostname === before.hostname) return;
  if (!/^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/.test(hostname)) throw invalid('body.hostname: not a hostname');
  if (store.rival('org', after) !== undefined) throw conflict('the hostname is already used');
}

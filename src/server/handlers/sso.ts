/** Handlers of SAML providers and logins (API document, "SSO"). */
import type { sso } from '../../contract/sso.ts';
import { defined } from '../../util/defined.ts';
import type { Context } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfRows } from '../paging.ts';
import type { SamlRow } from '../rows.ts';
import { samlView } from '../views/people.ts';

function provider(context: Context, params: Readonly<Record<string, string>>): SamlRow {
  const org = context.org(params.organizationId ?? '', 'admin');
  const row = context.store.get('saml', params.samlProviderId ?? '');
  if (row === undefined || row.org !== org.id) throw notFound('SAML provider');
  return row;
}

function checkTeam(context: Context, org: string, team: string | undefined): void {
  if (team !== undefined && context.store.get('team', team)?.org !== org) {
    throw invalid('body.defaultTeam: no such team');
  }
}

/** Handlers of single sign-on. */
export const ssoHandlers: HandlersOf<typeof sso> = {
  'saml.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', 'admin');
    return pageOfRows(context, 'saml', org.id, { query, view: (row) => samlView(context, row) });
  },

  'saml.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'admin');
    checkTeam(context, org.id, body.defaultTeam);
    const row: SamlRow = {
      defaultRole: null,
      ...defined(body),
      label: body.label,
      id: context.id('saml'),
      org: org.id,
      createdAt: context.at,
      order: context.store.next(),
    };
    context.store.put('saml', row);
    return samlView(context, row);
  },

  'saml.get': (context, { params }) => samlView(context, provider(context, params)),

  'saml.delete': (context, { params }) => {
    const row = provider(context, params);
    if (context.store.get('org', row.org)?.sso === true && context.store.count('saml', row.org) === 1) {
      throw conflict('cannot delete the last SAML provider while sso is on');
    }
    context.store.remove('saml', row.id);
  },

  'saml.update': (context, { params, body }) => {
    const row = provider(context, params);
    checkTeam(context, row.org, body.defaultTeam);
    const changed: SamlRow = { ...row, ...defined(body) };
    context.store.put('saml', changed);
    return samlView(context, changed);
  },

  'sso.list': (context, { params }) => {
    const org = context.org(params.organizationId ?? '', null);
    const items = context.store.children('saml', org.id).map((row) => ({
      id: row.id,
      label: row.label,
      startURL: `${context.base}/saml/${row.id}/start`,
    }));
    return { items };
  },
};

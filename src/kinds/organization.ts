/** The root of every manifest. It is never created or deleted. */

import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { defineKind, type Kind } from './kind.ts';
import { addedRisk, formerLinks, roleRisk } from './parts/access.ts';
import { body, bodyField, pick, referenceValue, textOf, valueField } from './parts/fields.ts';
import { mergeRuleFields, mergeRulesIn, rulesNotTaken, withMergeRules } from './parts/merge-rules.ts';
import { mapOf, type Payload, type Value } from './parts/payload.ts';
import { domainRemark, hostnameRemark } from './parts/remarks.ts';

const plain = ['title', 'emailDomains', 'hostname', 'defaultRole', 'sso', 'ai', 'inviteLinks'] as const;

/** API document, "Organizations". */
export const organization: Kind = defineKind({
  name: 'organization',
  noun: 'organization',
  description: 'The organization: its title, domains, defaults and sign-in rules.',
  manifest: { places: [] },
  body: 'orgs.update',
  fields: {
    title: valueField('Title of the organization, as the app and its sites show it.', 'Acme', {
      trait: { is: 'title' },
    }),
    emailDomains: {
      type: 'set',
      schema: bodyField('orgs.update', 'emailDomains'),
      remark: domainRemark,
      normalize: domains,
      description: 'E-mail domains whose users may join; the list is exact: others are removed.',
      example: ['acme.dev'],
      risk: addedRisk((domains) => `people with an e-mail address at ${domains} can join`),
    },
    hostname: valueField('Hostname under which content is published by default.', 'acme', {
      remark: hostnameRemark,
      risk: formerLinks('hostname'),
    }),
    defaultRole: valueField('Role of people who join; null makes them guests.', 'read', {
      nullable: 'value',
      reads: 'role',
      risk: roleRisk('everyone who joins'),
    }),
    defaultContent: {
      type: 'reference',
      kinds: ['site'],
      within: 'organization',
      schema: once(() =>
        z.strictObject({
          site: referenceValue().meta({ description: 'Key of the site.' }),
        }),
      ),
      description: 'The site that people see first; null clears it.',
      example: { site: 'developer-hub' },
      nullable: 'removes',
      spell: (value) => ({ site: value }),
      normalize: (value) => mapOf(value)?.site ?? null,
    },
    logo: valueField('Address of the logo; null removes it.', 'https://acme.dev/logo.png', {
      nullable: 'removes',
    }),
    sso: valueField('Whether everyone must sign in through single sign-on; needs a SAML provider.', true, {
      absent: false,
      requires: { kind: 'samlProvider', otherwise: 'no one could sign in' },
      risk: (_before, after) =>
        after === true ? 'everyone has to sign in through a SAML provider' : 'people can sign in without SSO',
    }),
    ai: valueField('Whether AI features are on.', true, { absent: false }),
    inviteLinks: valueField('Whether people can join through invite links.', false, {
      risk: (_before, after) => (after === true ? 'anyone with an invite link can join' : undefined),
    }),
    ...mergeRuleFields('organization'),
  },
  identity: { by: [{ field: 'hostname' }, { field: 'title' }], idParam: 'organizationId' },
  reads: { list: { operation: 'orgs.list', per: '' }, get: { operation: 'orgs.get' } },
  fromRemote: (remote: OperationOutput<'orgs.get'>) => ({
    id: remote.id,
    fields: {
      ...pick(remote, plain),
      ...defined({ emailDomains: domains(remote.emailDomains) }),
      ...mergeRulesIn(remote),
      ...defined({
        defaultContent: textOf(remote.defaultContent?.site),
        logo: textOf(remote.urls?.logo),
      }),
    },
  }),
  calls: {
    create: () => ({
      unsupported: 'an organization cannot be created through the API',
      suggestion: 'check the id, or what the organization is matched by',
    }),
    update: withMergeRules((context, changed) => [
      { operation: 'orgs.update', params: context.params, body: requestBody(context.fields, changed) },
    ]),
    notDone: rulesNotTaken,
  },
  deletion: { protected: true },
});

/** Removes duplicates; case does not matter. */
function domains(value: Value): Value {
  return Array.isArray(value) ? [...new Set(value.map((one) => String(one).toLowerCase()))] : value;
}

function requestBody(
  fields: Readonly<Record<string, Payload>>,
  changed: readonly string[],
): Record<string, Payload> {
  const chosen = body(fields, changed);
  if (chosen.defaultContent !== undefined && chosen.defaultContent !== null) {
    chosen.defaultContent = { type: 'site', site: chosen.defaultContent };
  }
  return chosen;
}

/** SAML providers: who may sign in through which identity provider, and what they get. */
import type { OperationOutput } from '../contract/index.ts';
import { defined } from '../util/defined.ts';
import { body, bodyField, pick, referenceField, textOf } from './fields.ts';
import type { Kind } from './kind.ts';

const names = ['label', 'entityID', 'ssoURL', 'certificate', 'defaultTeam', 'defaultRole'] as const;

/** API document, "SSO". */
export const samlProvider: Kind = {
  name: 'samlProvider',
  noun: 'SAML provider',
  description: 'A SAML identity provider for single sign-on.',
  places: [{ parent: 'organization', key: 'samlProviders', shape: 'map', ordered: false }],
  fields: {
    label: {
      type: 'value',
      schema: bodyField('saml.create', 'label'),
      description: 'Label.',
      example: 'Okta',
    },
    entityID: {
      type: 'value',
      schema: bodyField('saml.create', 'entityID'),
      description: 'Entity id of the provider.',
    },
    ssoURL: {
      type: 'value',
      schema: bodyField('saml.create', 'ssoURL'),
      description: 'Address to sign in at.',
    },
    certificate: {
      type: 'value',
      schema: bodyField('saml.create', 'certificate'),
      description: 'Certificate in PEM form.',
      // Services trim certificates and change line ends; neither is a difference.
      same: (desired, live) => normalizeText(desired) === normalizeText(live),
    },
    defaultTeam: referenceField('The team that people join who sign in for the first time.', {
      kinds: ['team'],
      within: 'organization',
    }),
    defaultRole: {
      type: 'value',
      schema: bodyField('saml.create', 'defaultRole'),
      description: 'Role of people who sign in for the first time; null for guests.',
      nullable: 'value',
    },
  },
  identities: [{ field: 'entityID' }, { field: 'label' }],
  scope: 'organization',
  idParam: 'samlProviderId',
  cost: 'nobody can sign in through it any more',
  givesAccess: () => ({ rank: 2, risk: 'people can sign in through it' }),
  reads: { list: { operation: 'saml.list', per: 'organization' }, get: { operation: 'saml.get' } },
  fromRemote: (remote: OperationOutput<'saml.get'>) => ({
    id: remote.id,
    fields: {
      ...pick(remote, ['label', 'entityID', 'ssoURL', 'certificate', 'defaultRole']),
      ...defined({ defaultTeam: textOf(remote.defaultTeam?.id) }),
    },
  }),
  calls: {
    create: (context) => {
      const all = body(context.fields, names);
      return { call: { operation: 'saml.create', params: context.params, body: all }, fields: all };
    },
    update: (context, changed) => [
      { operation: 'saml.update', params: context.params, body: body(context.fields, changed) },
    ],
    delete: (context) => ({ operation: 'saml.delete', params: context.params }),
  },
};

function normalizeText(value: unknown): string {
  return String(value).replaceAll('\r\n', '\n').trim();
}

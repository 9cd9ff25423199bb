/** SAML providers: identity providers through which people may sign in, and their rights. */
import type { OperationOutput } from '../contract/index.ts';
import { defined } from '../util/defined.ts';
import { defineKind, type Kind } from './kind.ts';
import { roleRisk } from './parts/access.ts';
import type { Field } from './parts/field.ts';
import { pick, referenceField, textOf, valueField } from './parts/fields.ts';
import { referredAddress } from './parts/payload.ts';

const names = ['label', 'entityID', 'ssoURL', 'certificate', 'defaultTeam', 'defaultRole'] as const;

/** API document, "SSO". */
export const samlProvider: Kind = defineKind({
  name: 'samlProvider',
  noun: 'SAML provider',
  description: 'A SAML identity provider for single sign-on.',
  manifest: { places: [{ parent: 'organization', key: 'samlProviders' }] },
  body: 'saml.create',
  fields: {
    label: valueField('Name of the provider on the sign-in page.', 'Okta', { trait: { is: 'title' } }),
    entityID: valueField('Entity id of the provider, from its metadata.', 'http://www.okta.com/exk1', {
      risk: signInRisk('another provider decides who can sign in'),
    }),
    ssoURL: {
      description: 'Address that people are sent to for signing in.',
      example: 'https://acme.okta.com/app/sso/saml',
      risk: signInRisk('people sign in at another address'),
    },
    certificate: {
      description: 'Certificate of the provider in PEM form. Octavo warns 30 days before it expires.',
      example: '${file:okta.pem}',
      trait: { is: 'certificate' },
      risk: signInRisk('another certificate decides who can sign in'),
      same: (desired, live) => certificateText(desired) === certificateText(live),
    },
    defaultTeam: referenceField('The team that people join when they sign in for the first time.', {
      example: 'platform',
      kinds: ['team'],
      within: 'organization',
      risk: (_before, after) =>
        `everyone who signs in for the first time joins ${referredAddress(after) ?? 'another team'}`,
    }),
    defaultRole: {
      description: 'Role of people who sign in for the first time; null makes them guests.',
      example: 'read',
      nullable: 'value',
      reads: 'role',
      risk: roleRisk('everyone who signs in for the first time'),
    },
  },
  identity: { by: [{ field: 'entityID' }, { field: 'label' }], idParam: 'samlProviderId' },
  reads: { list: { operation: 'saml.list', per: 'organization' }, get: { operation: 'saml.get' } },
  fromRemote: (remote: OperationOutput<'saml.get'>) => ({
    id: remote.id,
    fields: {
      ...pick(remote, ['label', 'entityID', 'ssoURL', 'certificate', 'defaultRole']),
      ...defined({ defaultTeam: textOf(remote.defaultTeam?.id) }),
    },
  }),
  calls: {
    create: { operation: 'saml.create', fields: names },
    update: 'saml.update',
    delete: 'saml.delete',
  },
  deletion: {
    cost: 'no one can sign in through it any more',
    again: { lost: 'its sign-in addresses are new ones; enter them at the identity provider' },
  },
  display: { givesAccess: () => ({ rank: 2, risk: 'people can sign in through it' }) },
});

/** Applies only to an existing provider: anyone who controls the new value can let people in. */
function signInRisk(text: string): NonNullable<Field['risk']> {
  return (before, after) => (before === undefined || before === after ? undefined : { text, severe: true });
}

/** Removes the frame and line breaks from Base64, because services store and wrap certificates differently. */
function certificateText(value: unknown): string {
  const text = String(value).replaceAll('\r\n', '\n').trim();
  const body = text.replace(/^-----(?:BEGIN|END) (?:[A-Z0-9]+ )?CERTIFICATE-----[ \t]*$/gm, '');
  const joined = body.replace(/[ \t]*\n[ \t]*/g, '').trim();
  return /^[A-Za-z0-9+/]+=*$/.test(joined) ? joined.replace(/=+$/, '') : text;
}

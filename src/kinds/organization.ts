/** The organization itself: the root of every manifest. It is never created nor deleted. */
import { z } from 'zod';
import { body, bodyField, idOf, pick, property, referenceValue, text } from './fields.ts';
import type { Kind } from './kind.ts';
import type { Call, Payload, Value } from './payload.ts';

const plain = ['title', 'emailDomains', 'hostname', 'defaultRole', 'sso', 'ai', 'inviteLinks'] as const;

/** API document, "Organizations". */
export const organization: Kind = {
  name: 'organization',
  noun: 'organization',
  description: 'The organization: its title, domains, defaults and sign-in rules.',
  places: [],
  fields: {
    title: { schema: bodyField('orgs.update', 'title'), description: 'Title.', example: 'Acme' },
    emailDomains: {
      schema: bodyField('orgs.update', 'emailDomains'),
      description: 'E-mail domains whose users may join; exactly these.',
      example: ['acme.dev'],
      compare: 'set',
    },
    hostname: {
      schema: bodyField('orgs.update', 'hostname'),
      description: 'Default hostname of public content.',
      example: 'acme',
      risk: (before) => (before === undefined ? undefined : 'links to the former hostname stop working'),
    },
    defaultRole: {
      schema: bodyField('orgs.update', 'defaultRole'),
      description: 'Role of people who join; null for guests.',
      nullable: 'value',
    },
    defaultContent: {
      schema: z.strictObject({ site: referenceValue }),
      description: 'The site that people see first.',
      example: { site: 'developer-hub' },
      nullable: 'removes',
      reference: { kinds: ['site'], of: 'value', within: 'organization', undeclared: 'refused' },
      normalize: (value) => property(value, 'site') as Value,
      denormalize: (value) => ({ site: value }),
    },
    logo: {
      schema: bodyField('orgs.update', 'logo'),
      description: 'Address of the logo.',
      nullable: 'removes',
    },
    sso: {
      schema: bodyField('orgs.update', 'sso'),
      description: 'Whether everyone must sign in through SSO.',
      absent: false,
      restsOn: 'samlProvider',
      risk: (_before, after) =>
        after === true
          ? 'everyone has to sign in through a SAML provider from then on'
          : 'people can sign in without SSO from then on',
    },
    ai: { schema: bodyField('orgs.update', 'ai'), description: 'Whether AI features are on.', absent: false },
    inviteLinks: {
      schema: bodyField('orgs.update', 'inviteLinks'),
      description: 'Whether people can be invited by link.',
    },
  },
  identities: [{ field: 'hostname' }, { field: 'title' }],
  scope: 'organization',
  idParam: 'organizationId',
  protected: true,
  reads: {
    list: { operation: 'orgs.list', per: '' },
    get: { operation: 'orgs.get' },
  },
  fromRemote: (remote) => {
    const defaultContent = text(property(remote, 'defaultContent'), 'site');
    const logo = text(property(remote, 'urls'), 'logo');
    return {
      id: idOf(remote),
      fields: {
        ...pick(remote, plain),
        ...(defaultContent === undefined ? {} : { defaultContent }),
        ...(logo === undefined ? {} : { logo }),
      },
    };
  },
  calls: {
    create: () => ({
      refuse: 'an organization cannot be created through the API',
      suggestion: 'check the id, or what the organization is matched by',
    }),
    update: (context, changed) => [update(context.params, requestBody(context.fields, changed))],
  },
};

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

function update(params: Call['params'], requested: Record<string, Payload>): Call {
  return { operation: 'orgs.update', params, body: requested };
}

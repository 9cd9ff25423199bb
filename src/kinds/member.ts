/** Members of the organization. The API document has no invitations; newer services send them. */

import * as z from 'zod';
import type { OperationId, OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import {
  type CallContext,
  type Creation,
  defineKind,
  type Kind,
  type KindSpec,
  type Unsupported,
} from './kind.ts';
import { memberRoleRisk } from './parts/access.ts';
import { pick, textOf, valueField } from './parts/fields.ts';
import type { Call, Value } from './parts/payload.ts';

const role = {
  description: 'Role in the organization; null makes the member a guest.',
  example: 'edit',
  nullable: 'value' as const,
  reads: 'role' as const,
  risk: memberRoleRisk,
  trait: { is: 'role', all: 'admin' } as const,
};

const sso = {
  schema: once(() => z.boolean()),
  description: 'Whether the member signs in through single sign-on; it can be switched on, but not off.',
  example: true,
  absent: false,
  oneWay: (to: Value) => (to === false ? 'it can be switched on, not off' : undefined),
  risk: (before: Value | undefined, after: Value) =>
    before === true && after === false ? 'can sign in without SSO' : undefined,
};

/** Normalizes addresses as services compare them. */
const folded = (email: string) => email.normalize('NFC').toLowerCase();

const fields: KindSpec['fields'] = {
  email: valueField('E-mail address of the member, in lower case.', 'ada@acme.dev', {
    schema: once(() => z.string()),
    change: 'create',
  }),
  role,
  sso,
};

const calls: KindSpec['calls'] = {
  create: () => ({
    unsupported: 'the API cannot invite anyone',
    suggestion: 'invite the person in the app first, or remove the entry',
    missing: 'object',
  }),
  update: (context, changed) => {
    const calls: Call[] = [];
    if (changed.includes('role')) {
      const role = context.fields.role ?? null;
      calls.push({ operation: 'members.update', params: context.params, body: { role } });
    }
    if (changed.includes('sso')) {
      if (context.fields.sso !== true) {
        return {
          unsupported: 'a member who signs in through SSO cannot be changed back through the API',
          suggestion: 'set sso: true, or remove the line',
        };
      }
      calls.push({ operation: 'members.setSso', params: context.params });
    }
    return calls;
  },
  delete: 'members.delete',
};

const deletion: KindSpec['deletion'] = {
  protected: true,
  atLeastOne: { field: 'role', value: 'admin' },
  cost: 'the person loses access to the organization',
  again: { impossible: () => 'the API cannot invite anyone; invite the person in the app' },
};

const display: KindSpec['display'] = {
  ownsToken: true,
  givesAccess: ({ role }) => (role === 'admin' ? { rank: 0, risk: 'administrator' } : undefined),
  ifMissing: 'check the spelling; people must be invited in the app before they can be named here',
};

/** Differences at services that invite people by e-mail. */
const invited: NonNullable<KindSpec['newer']> = {
  fields: {
    ...fields,
    // `createRisk` already covers new members.
    role: {
      ...role,
      risk: (before, after, situation) =>
        situation.isNew && after !== 'admin' ? undefined : memberRoleRisk(before, after, situation),
    },
    // Single sign-on needs a provider, so providers are created before the invitations.
    sso: { ...sso, follows: 'samlProvider' },
  },
  calls: { ...calls, create: invite, createIsAsync: true, notDone: withoutSso },
  deletion: { ...deletion, again: { lost: 'the person is invited again' } },
  display: {
    ...display,
    createRisk: ({ role: name }) => {
      if (name === 'admin') return undefined;
      const as = typeof name === 'string' ? `a member with the role ${name}` : 'a guest';
      return `gets access to the organization, as ${as}`;
    },
    ifMissing: 'check the spelling, or declare the person under members: with a role, to invite them',
  },
};

/** API document, "Members". */
export const member: Kind = defineKind({
  name: 'member',
  noun: 'member',
  description:
    'A member of the organization; the key is the e-mail address. Services of the form `2026` invite people; at others they are members already.',
  manifest: {
    places: [{ parent: 'organization', key: 'members' }],
    key: { is: 'field', field: 'email' },
    keySchema: once(() =>
      z
        .string()
        .regex(/^[^\s@]+@[^\s@]+$/, 'an e-mail address')
        .meta({
          help: 'write the e-mail address of the person, for example ada@acme.dev',
        }),
    ),
  },
  body: 'members.update',
  fields,
  identity: { by: [{ field: 'email', fold: folded }], idParam: 'userId' },
  reads: {
    list: { operation: 'members.list', per: 'organization' },
    get: { operation: 'members.get' },
    search: { operation: 'members.list', field: 'email', parameter: 'search', thenGet: false },
    reach: {
      operation: 'members.listSpaces',
      kind: 'space',
      read: (items: OperationOutput<'members.listSpaces'>['items']) =>
        items.flatMap(({ space, permission }) =>
          space === undefined || space === null ? [] : [{ remote: space, level: permission ?? null }],
        ),
    },
  },
  // The response to an invitation is not a member, so all parts are optional.
  fromRemote: (remote: Partial<OperationOutput<'members.get'>>) => ({
    id: remote.id ?? '',
    fields: {
      ...pick(remote, ['role', 'sso']),
      ...defined({ email: folded(textOf(remote.user?.email) ?? '') || undefined }),
    },
    ...(remote.disabled === true ? { inactive: true } : {}),
  }),
  calls,
  newer: invited,
  deletion,
  display,
});

function invite({ fields: all, params }: CallContext): Creation | Unsupported {
  const { email, sso } = all;
  if (all.role === undefined || email === undefined) {
    return {
      unsupported: 'an invitation needs a role',
      suggestion: 'set role: to invite the person, or remove the entry',
      missing: 'object',
    };
  }
  const body = { emails: [{ email, role: all.role }], ...(sso === true ? { sso } : {}) };
  return {
    call: { operation: 'invites.create', params, body },
    fields: { email, role: all.role, ...(sso === true ? { sso } : {}) },
  };
}

function withoutSso(answer: unknown, { operation }: { readonly operation: OperationId }): string | undefined {
  if (operation !== 'invites.create') return undefined;
  const { failedSSOEmails } = answer as OperationOutput<'invites.create'>;
  const failed = failedSSOEmails ?? [];
  return failed.length === 0
    ? undefined
    : `the service did not invite ${failed.join(', ')} with single sign-on (failedSSOEmails)`;
}

/** Existing members of the organization. The API cannot invite anyone, so a member is never created. */

import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { memberRoleRisk } from './access.ts';
import { pick, textOf } from './fields.ts';
import { defineKind, type Kind } from './kind.ts';
import type { Call } from './payload.ts';

/** API document, "Members". */
export const member: Kind = defineKind({
  name: 'member',
  noun: 'member',
  description: 'Someone who is a member of the organization already; the key is the e-mail address.',
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
  fields: {
    email: {
      schema: once(() => z.string()),
      description: 'E-mail address of the member, in lower case.',
      example: 'ada@acme.dev',
      change: 'create',
    },
    role: {
      description: 'Role in the organization; null makes the member a guest.',
      example: 'admin',
      nullable: 'value',
      reads: 'role',
      risk: memberRoleRisk,
    },
    sso: {
      schema: once(() => z.boolean()),
      description: 'Whether the member signs in through single sign-on; it can be switched on, but not off.',
      example: true,
      absent: false,
      oneWay: (to) => (to === false ? 'it can be switched on, not off' : undefined),
      risk: (before, after) => (before === true && after === false ? 'can sign in without SSO' : undefined),
    },
  },
  identity: { by: [{ field: 'email', fold: (value) => value.toLowerCase() }], idParam: 'userId' },
  reads: {
    list: { operation: 'members.list', per: 'organization' },
    get: { operation: 'members.get' },
    search: { operation: 'members.list', field: 'email', parameter: 'search', thenGet: false },
  },
  fromRemote: (remote: OperationOutput<'members.get'>) => ({
    id: remote.id,
    fields: {
      ...pick(remote, ['role', 'sso']),
      ...defined({ email: textOf(remote.user?.email)?.toLowerCase() }),
    },
    ...(remote.disabled === true ? { inactive: true } : {}),
  }),
  calls: {
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
  },
  deletion: {
    protected: true,
    atLeastOne: { field: 'role', value: 'admin' },
    cost: 'the person loses access to the organization',
    again: { impossible: () => 'the API cannot invite anyone; invite the person in the app' },
  },
  display: {
    ownsToken: true,
    givesAccess: ({ role }) => (role === 'admin' ? { rank: 0, risk: 'administrator' } : undefined),
    ifMissing: 'check the spelling; people must be invited in the app before they can be named here',
  },
});

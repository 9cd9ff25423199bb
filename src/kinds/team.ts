import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { closedEnum } from '../contract/values.ts';
import {
  type CallContext,
  type Creation,
  defineKind,
  type Kind,
  type KindSpec,
  type Unsupported,
} from './kind.ts';
import { member } from './member.ts';
import { peopleRisk } from './parts/access.ts';
import type { Included } from './parts/field.ts';
import { body, pick, valueField } from './parts/fields.ts';
import { type Call, type Id, mapOf, type Payload, type Value } from './parts/payload.ts';

/** API document, "Teams and team members". */
export const team: Kind = defineKind({
  name: 'team',
  noun: 'team',
  description: 'A team and its members.',
  manifest: { places: [{ parent: 'organization', key: 'teams' }] },
  body: 'teams.create',
  fields: {
    title: valueField('Title of the team.', 'Platform', { trait: { is: 'title' } }),
    members: {
      type: 'members',
      of: 'member',
      valueKey: 'role',
      schema: once(() => z.record(z.string().min(1), closedEnum(['owner', 'member']))),
      description:
        'The members of the team by e-mail address, each an owner or a member; the list is exact: others are removed.',
      example: { 'ada@acme.dev': 'owner' },
      risk: peopleRisk,
      normalize: (value) => sorted(Object.entries(mapOf(value) ?? {})),
      detail: { operation: 'teams.listMembers', read: readMembers },
    },
  },
  identity: { by: [{ field: 'title' }], idParam: 'teamId' },
  reads: { list: { operation: 'teams.list', per: 'organization' }, get: { operation: 'teams.get' } },
  // Some fields of the response are counts, named like a field of the kind.
  fromRemote: (remote: OperationOutput<'teams.get'>) => ({ id: remote.id, fields: pick(remote, ['title']) }),
  calls: callsWith('people must be invited in the app before they can be named here'),
  newer: { calls: callsWith('declare the person under members: with a role, to invite them') },
  deletion: {
    cost: 'its members lose what the team gave them access to',
    again: { lost: 'what the team gave its members access to is lost' },
  },
});

/** `suggestion`: advice if a person is not a member. */
function callsWith(suggestion: string): KindSpec['calls'] {
  return {
    create: (context) => missingMember(context, suggestion) ?? create(context),
    update: (context, changed) => {
      const missing = changed.includes('members') ? missingMember(context, suggestion) : undefined;
      return missing ?? updates(context, changed);
    },
    delete: 'teams.delete',
  };
}

function updates(context: CallContext, changed: readonly string[]): readonly Call[] {
  return [
    ...(changed.includes('title')
      ? [
          {
            operation: 'teams.update' as const,
            params: context.params,
            body: body(context.fields, ['title']),
          },
        ]
      : []),
    ...(changed.includes('members') ? memberCalls(context) : []),
  ];
}

/** Refuses a team member who is not in the organization. */
function missingMember(context: CallContext, suggestion: string): Unsupported | undefined {
  const people = Object.keys(mapOf(context.fields.members) ?? {});
  const absent = people.filter((email) => context.resolve('member', email) === undefined);
  if (absent.length === 0) return undefined;
  return {
    unsupported: `there is no member ${absent.join(', ')} in this organization`,
    suggestion,
    missing: 'reference',
  };
}

/** Sorts entries, because lists of members have no fixed order. */
function sorted(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  return Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function readMembers(entries: OperationOutput<'teams.listMembers'>['items']) {
  const people: Record<string, Value> = {};
  const includes: Included[] = [];
  for (const { organization: person, team: membership } of entries) {
    if (person === undefined || person === null) continue;
    const { id, fields } = member.fromRemote(person);
    people[typeof fields.email === 'string' ? fields.email : id] = membership?.role ?? 'member';
    includes.push({ kind: 'member', remote: person });
  }
  return { value: sorted(Object.entries(people)), includes };
}

function create(context: CallContext): Creation {
  const people = Object.keys(mapOf(context.fields.members) ?? {});
  const ids = people.map((email) => memberId(context, email));
  return {
    call: {
      operation: 'teams.create',
      params: context.params,
      body: { ...body(context.fields, ['title']), ...(ids.length > 0 ? { members: ids } : {}) },
    },
    fields: {
      ...body(context.fields, ['title']),
      ...(context.fields.members === undefined
        ? {}
        : { members: Object.fromEntries(people.map((email) => [email, 'member'])) }),
    },
  };
}

/** Throws for a missing member; `missingMember` refuses them before any call. */
function memberId(context: CallContext, email: string): Id {
  const id = context.resolve('member', email);
  if (id === undefined) throw new Error(`${context.address}: there is no member ${email}`);
  return id;
}

function memberCalls(context: CallContext): readonly Call[] {
  const changes = memberChanges(context);
  const invited = rolesOfInvited(context);
  if (Object.keys(changes).length === 0 && invited.length > 0) return invited;
  return [{ operation: 'teams.updateMembers', params: context.params, body: changes }, ...invited];
}

/** Builds one PUT with added people, removed people and their roles. */
function memberChanges(context: CallContext): Record<string, Payload> {
  const before = mapOf(context.before.members) ?? {};
  const after = mapOf(context.fields.members) ?? {};
  const identify = (email: string): Id => memberId(context, email);
  const add = Object.keys(after).filter((email) => !(email in before));
  const remove = Object.keys(before).filter((email) => !(email in after));
  const memberships: Record<string, Payload> = {};
  for (const [email, role] of Object.entries(after)) {
    const id = identify(email);
    if (before[email] !== role && typeof id === 'string') memberships[id] = { role };
  }
  return {
    ...(add.length > 0 ? { add: add.map(identify) } : {}),
    ...(remove.length > 0 ? { remove: remove.map(identify) } : {}),
    ...(Object.keys(memberships).length > 0 ? { memberships } : {}),
  };
}

/** Sets roles of invited people separately, because keys of `memberships` must be known ids. */
function rolesOfInvited(context: CallContext): readonly Call[] {
  const before = mapOf(context.before.members) ?? {};
  return Object.entries(mapOf(context.fields.members) ?? {}).flatMap(([email, role]) => {
    const userId = memberId(context, email);
    if (typeof userId === 'string' || before[email] === role || role === 'member') return [];
    return [{ operation: 'teams.setMember', params: { ...context.params, userId }, body: { role } }];
  });
}

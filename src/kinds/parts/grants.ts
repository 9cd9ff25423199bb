/**
 * Levels granted on a space, a collection or a site: to teams in one field, to people in another. Levels from other sources,
 * such as the level of everyone in the organization, are not included.
 *
 *     access: { teams: { platform: edit }, members: { ada@acme.dev: admin } }
 */
import * as z from 'zod';
import type { OperationId, OperationOutput } from '../../contract/index.ts';
import { roles } from '../../contract/index.ts';
import { once } from '../../contract/once.ts';
import { closedEnum } from '../../contract/values.ts';
import { type CallContext, isUnsupported, type Unsupported } from '../kind.ts';
import { member } from '../member.ts';
import { grantsRisk, rankOfGrant } from './access.ts';
import type { Field, Included } from './field.ts';
import { type Call, type Id, mapOf, type Payload, type Value } from './payload.ts';

type GrantedOn = 'spaces' | 'collections' | 'sites';

const levels = once(() => z.record(z.string().min(1), closedEnum(roles)));
const levelsOrNone = once(() => z.record(z.string().min(1), closedEnum([...roles, 'none'])));

/** The two fields; `on`: section of the operations. */
export function grantFields(on: GrantedOn): Readonly<Record<string, Field>> {
  const noun = on.slice(0, -1);
  const shared = {
    type: 'members',
    valueKey: 'level',
    needs: '2026',
    schema: on === 'sites' ? levelsOrNone : levels,
    absent: {},
    risk: grantsRisk,
    trait: { is: 'grants', rank: rankOfGrant },
  } as const;
  const exact = `the list is exact: others lose what they were given here${on === 'sites' ? '; none lowers' : ''}.`;
  return {
    'access.teams': {
      ...shared,
      of: 'team',
      description: `Teams with a level of their own on the ${noun}; ${exact}`,
      example: { platform: 'edit' },
      detail: {
        operation: `${on}.listTeams`,
        read: (items: OperationOutput<'spaces.listTeams'>['items']) => ({
          value: Object.fromEntries(items.map(({ team, permission }) => [team.id, permission ?? 'none'])),
        }),
      },
    },
    'access.members': {
      ...shared,
      of: 'member',
      description: `People, by e-mail address, with a level of their own on the ${noun}; ${exact}`,
      example: { 'ada@acme.dev': 'edit' },
      detail: { operation: `${on}.listUsers`, read: readPeople },
    },
  };
}

function readPeople(items: OperationOutput<'spaces.listUsers'>['items']) {
  const people: Record<string, Value> = {};
  const includes: Included[] = [];
  for (const { user, permission } of items) {
    const { fields } = member.fromRemote({ id: user.id, user });
    people[typeof fields.email === 'string' ? fields.email : user.id] = permission ?? 'none';
    includes.push({ kind: 'member', remote: { id: user.id, user }, isPart: true });
  }
  return { value: people, includes };
}

type Update = (context: CallContext, changed: readonly string[]) => readonly Call[] | Unsupported;

/** Sends raised levels before the update of the other fields, and lowered ones after it. */
export function withGrants(on: GrantedOn, update: Update): Update {
  return (context, changed) => {
    const own = changed.filter((name) => Object.hasOwn(grantees, name));
    if (own.length === 0) return update(context, changed);
    const others = changed.filter((name) => !own.includes(name));
    const base = others.length === 0 ? [] : update(context, others);
    if (isUnsupported(base)) return base;
    const changes = own.flatMap((name) => changesOf(context, name));
    const unknown = changes.filter(({ id }) => id === undefined);
    if (unknown.length > 0) return unknownGrantees(unknown);
    const isRaise = ({ before, after }: Grant) =>
      after !== undefined && rankOfGrant(after) > rankOfGrant(before);
    return [
      ...callsFor(on, context, changes.filter(isRaise)),
      ...base,
      ...callsFor(
        on,
        context,
        changes.filter((one) => !isRaise(one)),
      ),
    ];
  };
}

const grantees: Readonly<Record<string, 'team' | 'user'>> = {
  'access.teams': 'team',
  'access.members': 'user',
};

interface Grant {
  readonly of: 'team' | 'user';
  readonly name: string;
  readonly id: Id | undefined;
  readonly before: Payload | undefined;
  readonly after: Payload | undefined;
}

function changesOf(context: CallContext, field: string): readonly Grant[] {
  const of = grantees[field] ?? 'user';
  const [before, after] = [mapOf(context.before[field]) ?? {}, mapOf(context.fields[field]) ?? {}];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .map((name) => ({
      of,
      name,
      id: context.resolve(of === 'team' ? 'team' : 'member', name),
      before: before[name],
      after: after[name],
    }));
}

function unknownGrantees(unknown: readonly Grant[]): Unsupported {
  const named = (of: Grant['of']) => unknown.filter((one) => one.of === of).map(({ name }) => name);
  const [teams, people] = [named('team'), named('user')];
  return {
    unsupported: [
      ...(teams.length === 0 ? [] : [`there is no team ${teams.join(', ')}`]),
      ...(people.length === 0 ? [] : [`there is no member ${people.join(', ')} in this organization`]),
    ].join(', and '),
    suggestion:
      teams.length === 0
        ? 'declare the person under members: with a role, to invite them'
        : 'declare the team under teams:, or name an existing one by its title',
    missing: 'reference',
  };
}

/**
 * New grants share one request per level. On a site, only such a request can set "none", and not all services replace
 * another level with it, so the other level is removed first.
 */
function callsFor(on: GrantedOn, { params }: CallContext, grants: readonly Grant[]): readonly Call[] {
  const isAdded = ({ before, after }: Grant) =>
    after !== undefined && (before === undefined || after === 'none');
  const added = grants.filter(isAdded);
  const idsOf = (of: Grant['of'], level: Payload | undefined) =>
    added.flatMap((one) => (one.of === of && one.after === level ? (one.id ?? []) : []));
  const posts = [...new Set(added.map(({ after }) => after))].map((level) => {
    const [teams, users] = [idsOf('team', level), idsOf('user', level)];
    return {
      operation: `${on}.grant` as const,
      params,
      body: {
        role: roleOf(level),
        ...(teams.length === 0 ? {} : { teams }),
        ...(users.length === 0 ? {} : { users }),
      },
    };
  });
  const single = ({ of, id = '' }: Grant, role: Payload | undefined): Call => {
    const operation = `${on}.${role === undefined ? 'remove' : 'update'}${of === 'team' ? 'Team' : 'User'}`;
    return {
      operation: operation as OperationId,
      params: { ...params, [`${of}Id`]: id },
      ...(role === undefined ? {} : { body: { role } }),
    };
  };
  const taken = added.filter(({ before }) => before !== undefined);
  const others = grants.filter((one) => !isAdded(one));
  return [
    ...others.flatMap((one) => (one.after === undefined ? [] : [single(one, roleOf(one.after))])),
    ...taken.map((one) => single(one, undefined)),
    ...posts,
    ...others.filter(({ after }) => after === undefined).map((one) => single(one, undefined)),
  ];
}

function roleOf(level: Payload | undefined): Payload {
  return level === 'none' || level === undefined ? null : level;
}

/** Effective access by granted levels: in reads, in lists and in the list of everyone's access. */
import { afterAll, expect, test } from 'vitest';
import type { Seed } from '../../src/server/index.ts';
import { startInMemory } from './call.ts';

type Access = NonNullable<NonNullable<Seed['organizations'][number]['spaces']>[number]['access']>;

interface Case {
  /** The person's role in the organization, and the level of everyone on the collection and the space. */
  readonly role: 'edit' | 'read' | null;
  readonly levels: readonly ['edit' | 'inherit' | null, 'read' | 'inherit' | null];
  readonly collection?: Access;
  readonly space?: Access;
  /** Effective level: by the nearest level, and by the highest of all. */
  readonly effect: readonly [string | null, string | null];
}

const team = (role: 'admin' | 'comment' | 'read' | null) => ({ teams: { team_red: role } });
const person = (role: 'admin' | 'comment' | 'read' | null) => ({ users: { user_kai: role } });

const cases: readonly Case[] = [
  { role: 'edit', levels: ['inherit', 'inherit'], effect: ['edit', 'edit'] },
  { role: 'edit', levels: ['inherit', 'read'], effect: ['read', 'edit'] },
  { role: 'edit', levels: ['inherit', null], effect: [null, 'edit'] },
  { role: 'edit', levels: [null, 'inherit'], space: team('read'), effect: ['read', 'edit'] },
  {
    role: 'read',
    levels: ['edit', 'inherit'],
    collection: person('comment'),
    effect: ['comment', 'comment'],
  },
  {
    role: 'read',
    levels: ['edit', 'inherit'],
    space: { ...team('admin'), ...person('read') },
    effect: ['read', 'edit'],
  },
  { role: null, levels: ['edit', 'read'], effect: [null, null] },
  { role: null, levels: ['inherit', 'inherit'], collection: team('comment'), effect: ['comment', 'comment'] },
];

const { service, call, failures } = await startInMemory({ organizations: [] });
afterAll(async () => {
  expect(failures).toEqual([]);
  await service.close();
});

function seedOf({ role, levels: [outer, inner], collection, space }: Case): Seed {
  return {
    organizations: [
      {
        id: 'org_acme',
        title: 'Acme',
        members: [{ id: 'user_kai', email: 'kai@acme.dev', role, token: 'token-kai' }],
        teams: [{ id: 'team_red', title: 'Red', members: { user_kai: 'member' } }],
        content: [
          {
            type: 'collection',
            id: 'col_one',
            title: 'One',
            defaultLevel: outer,
            ...(collection === undefined ? {} : { access: collection }),
            spaces: [
              {
                id: 'sp_one',
                title: 'One',
                defaultLevel: inner,
                ...(space === undefined ? {} : { access: space }),
              },
            ],
          },
        ],
      },
    ],
  };
}

test.each(cases.flatMap((one) => (['nearest', 'highest'] as const).map((way) => ({ ...one, way }))))(
  'combines access of $role, $levels, $collection, $space by the $way level',
  async ({ way, ...one }) => {
    service.reset(seedOf(one), { 'grants-combine': way }, '2026');
    const [nearest, highest] = one.effect;
    const level = way === 'nearest' ? nearest : highest;
    const { status } = await call('GET', '/v1/spaces/sp_one', undefined, 'token-kai');
    expect(status).toBe(level === null ? 404 : 200);
    const listed = await call('GET', '/v1/orgs/org_acme/spaces', undefined, 'token-kai');
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual(level === null ? [] : ['sp_one']);
    const { body } = await call('GET', '/v1/spaces/sp_one/permissions/aggregate');
    const kai = body.items.find(({ user }: { user: { id: string } }) => user.id === 'user_kai');
    expect(kai?.permission ?? null).toBe(level);
  },
);

test('keeps or removes the access of a deleted team', async () => {
  const [first] = cases.slice(3);
  for (const way of ['stay', 'go'] as const) {
    if (first !== undefined) service.reset(seedOf(first), { 'dead-grants': way }, '2026');
    expect((await call('DELETE', '/v1/orgs/org_acme/teams/team_red')).status).toBe(204);
    const { body } = await call('GET', '/v1/spaces/sp_one/permissions/teams');
    expect(body.items.map((one: { team: { id: string } }) => one.team.id)).toEqual(
      way === 'stay' ? ['team_red'] : [],
    );
  }
});

interface SiteCase {
  /** The person's role in the organization, and the level of everyone on the site. */
  readonly role: 'edit' | 'read';
  readonly level?: 'edit' | 'read' | 'inherit' | null;
  readonly site?: Access;
  /** Effective level on the site and its origin. */
  readonly effect: readonly [string | null, object];
}

const fromSite = (reason: 'default' | 'member' | 'team') => ({ type: 'site', reason });

const siteCases: readonly SiteCase[] = [
  { role: 'edit', effect: ['edit', { type: 'organization' }] },
  { role: 'edit', level: 'inherit', effect: ['edit', { type: 'organization' }] },
  { role: 'edit', level: 'read', effect: ['read', fromSite('default')] },
  { role: 'read', level: 'edit', effect: ['edit', fromSite('default')] },
  { role: 'edit', level: null, effect: [null, fromSite('default')] },
  { role: 'read', level: null, site: team('admin'), effect: ['admin', fromSite('team')] },
  { role: 'edit', site: team(null), effect: [null, fromSite('team')] },
  { role: 'edit', site: { ...team('admin'), ...person('read') }, effect: ['read', fromSite('member')] },
  { role: 'edit', level: 'edit', site: person(null), effect: [null, fromSite('member')] },
];

test.each(siteCases)(
  'combines access on a site: $role, $level, $site',
  async ({ role, level, site, effect: [has, origin] }) => {
    service.reset(
      {
        organizations: [
          {
            id: 'org_acme',
            title: 'Acme',
            members: [{ id: 'user_kai', email: 'kai@acme.dev', role, token: 'token-kai' }],
            teams: [{ id: 'team_red', title: 'Red', members: { user_kai: 'member' } }],
            sites: [
              {
                id: 'site_one',
                title: 'One',
                ...(level === undefined ? {} : { defaultLevel: level }),
                ...(site === undefined ? {} : { access: site }),
              },
              { id: 'site_two', title: 'Two' },
            ],
          },
        ],
      },
      {},
      '2026',
    );
    const path = '/v1/orgs/org_acme/sites';
    const { body: listed } = await call('GET', path, undefined, 'token-kai');
    expect(listed.items.map(({ id }: { id: string }) => id)).toEqual(
      has === null ? ['site_two'] : ['site_one', 'site_two'],
    );
    expect((await call('GET', `${path}/site_one`, undefined, 'token-kai')).status).toBe(
      has === null ? 404 : 200,
    );
    const { status } = await call('PATCH', `${path}/site_one`, { title: 'New' }, 'token-kai');
    expect(status).toBe(has === null ? 404 : has === 'admin' ? 200 : 403);
    const { body } = await call('GET', `${path}/site_one/permissions/aggregate`);
    const kai = body.items.find(({ user }: { user: { id: string } }) => user.id === 'user_kai');
    expect(kai).toMatchObject({ permission: has, origin });
    const { body: all } = await call('GET', path);
    expect(all.items).toHaveLength(2);
  },
);

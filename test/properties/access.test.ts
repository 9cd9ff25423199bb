/**
 * The access that a plan reports is the one that each person's own token sees after the apply, however levels combine: certain
 * changes happen as reported, and no one gains or loses unreported access.
 */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { OperationOutput } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import type { Access } from '../../src/review/reviewed-plan.ts';
import { type MemoryHarness, planOrNothing, seed, startHarness, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';

const people = ['ada', 'bob', 'cyd', 'dan'] as const;
const spaces = ['guide', 'reference', 'blog', 'faq'] as const;

const state = {
  ...seed,
  organizations: seed.organizations.map((one) => ({
    ...one,
    members: (one.members ?? []).map((member) => ({
      ...member,
      token: `token-${(member.id ?? '').slice('user_'.length)}`,
    })),
    teams: ['red', 'blue'].map((name) => ({ id: `team_${name}`, title: name, members: {} })),
  })),
};

const harnesses: MemoryHarness[] = [];
afterAll(() => Promise.all(harnesses.map((harness) => harness.close())));

const role = fc.constantFrom('admin', 'edit', 'comment', 'read', null);
const level = fc.constantFrom('inherit', 'inherit', null, 'read', 'edit', 'create');
const given = fc.constantFrom('read', 'edit', 'create', 'admin');
const emails = people.slice(1).map((name) => `${name}@acme.dev`);
const access = fc.record({
  teams: fc.dictionary(fc.constantFrom('red', 'blue'), given, { maxKeys: 2, noNullPrototype: true }),
  members: fc.dictionary(fc.constantFrom(...emails), given, { maxKeys: 2, noNullPrototype: true }),
});

/** Members, teams and levels of two collections, nested or not, with four spaces. */
const worlds = fc.record({
  roles: fc.tuple(role, role, role),
  red: fc.subarray([...emails]),
  blue: fc.subarray([...emails]),
  isNested: fc.boolean(),
  outer: fc.record({ defaultLevel: level, access }),
  inner: fc.record({ defaultLevel: level, access }),
  /** Two sites and their spaces; the first space of a site belongs to it. */
  hub: fc.record({ defaultLevel: level, access }),
  status: fc.record({ defaultLevel: level, access }),
  spaces: fc.tuple(
    ...spaces.map(() => fc.record({ in: fc.constantFrom('outer', 'inner'), defaultLevel: level, access })),
  ),
});

const without = fc.option(fc.constantFrom(...spaces), { nil: undefined, freq: 2 });

type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

/** `without`: a space that is deleted. */
function manifest(world: World, withGrants: boolean, without?: string) {
  const own = <T extends { readonly access: unknown }>({ access: grants, ...rest }: T) =>
    withGrants ? { ...rest, access: grants } : rest;
  const inside = (name: 'outer' | 'inner') =>
    Object.fromEntries(
      spaces.flatMap((space, at) => {
        const { in: container, ...one } = world.spaces[at] ?? { in: '', defaultLevel: null, access: {} };
        return container === name && space !== without ? [[space, { id: `sp_${space}`, ...own(one) }]] : [];
      }),
    );
  const inner = { title: 'Inner', ...own(world.inner), spaces: inside('inner') };
  const outer = { title: 'Outer', ...own(world.outer), spaces: inside('outer') };
  const shown = (...keys: readonly string[]) => ({
    spaces: Object.fromEntries(
      keys.filter((key) => key !== without).map((key) => [key, { space: key, path: key }]),
    ),
  });
  const sites = {
    hub: { title: 'Hub', ...own(world.hub), ...shown('guide', 'reference') },
    status: { title: 'Status', ...own(world.status), ...shown('reference', 'blog') },
  };
  const team = (members: readonly string[]) => ({
    members: Object.fromEntries(members.map((email) => [email, 'member'])),
  });
  return {
    settings: {
      protect: ['!**'],
      pruneKinds: { space: 'unlisted' },
      limits: { deletes: null, deletePercent: null },
    },
    members: Object.fromEntries(emails.map((email, at) => [email, { role: world.roles[at] ?? null }])),
    teams: { red: { title: 'red', ...team(world.red) }, blue: { title: 'blue', ...team(world.blue) } },
    ...(withGrants ? { sites } : {}),
    collections: world.isNested ? { outer: { ...outer, collections: { inner } } } : { outer, inner },
  };
}

type Listed = OperationOutput<'members.listSpaces'>['items'][number];

type Levels = ReadonlyMap<string, string>;

/** Access as each person's own token sees it. Example: `bob@acme.dev sp_guide` → edit. */
async function levelsOf({ service }: MemoryHarness): Promise<Levels> {
  const levels = new Map<string, string>();
  for (const name of people) {
    const client = service.clientOf(`token-${name}`);
    const params = { organizationId: 'org_acme', userId: `user_${name}` };
    const listed = (await client.all('members.listSpaces', { params })) as readonly Listed[];
    for (const { space, permission } of listed)
      levels.set(`${name}@acme.dev ${space?.id}`, permission ?? 'none');
  }
  return levels;
}

/** Entries of a plan by person and space; duplicates are a defect. */
function predictedIn({ changes }: Access): ReadonlyMap<string, Access['changes'][number]> {
  const found = new Map<string, Access['changes'][number]>();
  for (const change of changes)
    for (const { kind, address, title } of change.on) {
      // Deleted objects and undeclared ones have no address.
      const name = address?.split('/').at(-1) ?? title.toLowerCase().replace('api ', '');
      if (kind !== 'space' || !spaces.some((one) => one === name)) continue;
      for (const person of change.people) {
        const key = `${person} sp_${name}`;
        expect(found.has(key), key).toBe(false);
        found.set(key, change);
      }
    }
  return found;
}

async function check(
  harness: MemoryHarness,
  [one, other]: readonly [World, World],
  withGrants: boolean,
  without: string | undefined,
): Promise<number> {
  const [first, second] = await Promise.all([
    treeOf(manifest(one, withGrants)),
    treeOf(manifest(other, withGrants, without)),
  ]);
  const start = await planOrNothing(harness, first, {});
  if (start === undefined || start.refusals.length > 0) return 0;
  await harness.apply(first, start);
  const before = await levelsOf(harness);
  const plan = await harness.plan(second);
  if (plan.refusals.length > 0) return 0;
  const result = await harness.apply(second, plan);
  expect(result.organizations.flatMap(({ leftover }) => leftover)).toEqual([]);
  const after = await levelsOf(harness);
  const deleted = new Set(plan.steps.filter(({ action }) => action === 'delete').map(({ liveId }) => liveId));
  const predicted = predictedIn(plan.review?.access ?? { changes: [] });
  for (const name of people)
    for (const space of spaces) {
      const key = `${name}@acme.dev sp_${space}`;
      const [was, is] = [before.get(key) ?? 'none', after.get(key) ?? 'none'];
      const change = predicted.get(key);
      if (deleted.has(`sp_${space}`)) {
        expect(change, `${key} is gone`).toBeUndefined();
        continue;
      }
      if (was !== is) expect(change, `${key} ${was} → ${is} was not said`).toBeDefined();
      if (change?.certain === true) expect([change.before, change.after], key).toEqual([was, is]);
    }
  for (const person of plan.review?.access?.lost ?? [])
    expect([...after.keys()].filter((key) => key.startsWith(`${person} `))).toEqual([]);
  return [...predicted.values()].filter(({ certain }) => certain === true || !withGrants).length;
}

test.each([
  ['at services of the API document', false, 'nearest', 'site'],
  ['where levels are given and the nearest counts', true, 'nearest', 'site'],
  ['where levels are given and the highest counts', true, 'highest', 'site'],
  ['where those of sites count on spaces and the nearest counts', true, 'nearest', 'spaces'],
  ['where those of sites count on spaces and the highest counts', true, 'highest', 'spaces'],
] as const)(
  'reports exactly the changes of access that each person sees after the apply, %s',
  { timeout: patience(120_000) },
  async (_where, withGrants, combine, of) => {
    const harness = await startHarness(state, registry, withGrants ? '2026' : 'document');
    harnesses.push(harness);
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(worlds, worlds, without, async (first, second, deleted) => {
        harness.reset({ 'grants-combine': combine, 'site-levels': of });
        seen += await check(harness, [first, second], withGrants, deleted);
      }),
      { ...tries(8), endOnFailure: true },
    );
    expect(seen).toBeGreaterThan(0);
  },
);

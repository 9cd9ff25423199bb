/** Limits count objects deleted with their parent, and members removed from remaining teams. */
import { expect, test } from 'vitest';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import { type HarnessOptions, seed, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const people = Array.from({ length: 10 }, (_, index) => `p${index}@acme.dev`);
const crowded = {
  ...seed,
  organizations: seed.organizations.map((organization) => ({
    ...organization,
    members: [
      ...(organization.members ?? []),
      ...people.map((email, index) => ({
        id: `user_p${index}`,
        email,
        displayName: email,
        role: 'read' as const,
      })),
    ],
  })),
};

const harness = await sharedHarness(crowded);

/** Applies the first document and plans the second with the first as the base. */
async function planFrom(
  before: object,
  after: object,
  options: HarnessOptions = {},
): Promise<OrganizationPlan> {
  harness.reset();
  const head = { octavo: 1, organization: 'org_acme' };
  const base = await treeOf({ ...head, ...before });
  await harness.apply(base, await harness.plan(base));
  return harness.plan(await treeOf({ ...head, ...after }), { base, ...options });
}

function verdicts({ refusals }: OrganizationPlan): readonly string[] {
  return refusals.map(({ guard, address, message }) => `${guard} ${address}: ${message}`);
}

function team(count: number, more: object = {}): object {
  const members = Object.fromEntries(people.slice(0, count).map((email) => [email, 'member']));
  return { teams: { crew: { title: 'Crew', members } }, ...more };
}

test('counts the contents of a replaced site at every depth, as those of a deleted one', async () => {
  const spaces = { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } };
  const inside = {
    sections: {
      one: { title: 'One', path: 'one', spaces: { main: { space: 'guide' } } },
      group: {
        title: 'Group',
        sections: { two: { title: 'Two', path: 'two', spaces: { main: { space: 'faq' } } } },
      },
    },
    shareLinks: { press: { name: 'Press' } },
  };
  const shop = (more: object) => ({
    ...{ spaces, settings: { protect: ['!**'], limits: { deletes: 1, deletePercent: null } } },
    sites: { shop: { title: 'Shop', visibility: 'unlisted', ...inside, ...more } },
  });
  const of = ({ refusals }: OrganizationPlan) =>
    refusals.map(({ message }) =>
      /^\d+ objects would be deleted \((.*)\)/.exec(message)?.[1]?.split(', ').sort(),
    );
  const deleted = of(await planFrom(shop({ type: 'basic' }), { ...shop({}), sites: {} }));
  const replaced = of(await planFrom(shop({ type: 'basic' }), shop({ type: 'premium' })));
  expect(replaced).toEqual(deleted);
  expect(replaced[0]).toEqual(['1 section group', '1 share link', '1 site', '2 sections', '2 site-spaces']);
});

test('refuses to remove 40% of the members of a team although no object is deleted', async () => {
  const plan = await planFrom(team(10), team(6));
  expect(plan.steps.map(({ id }) => id)).toEqual(['teams/crew#update']);
  expect(verdicts(plan)).toEqual([
    'limits teams/crew: 4 of 10 members of teams/crew (40%) would be removed; the limit is 25%',
  ]);
  expect(plan.refusals[0]?.suggestion).toBe(
    'allow it once with --allow-deletes 4, or in the settings: limits: { deletePercent: 40 }',
  );
});

test('refuses to remove two of five members but not one of four', async () => {
  expect(verdicts(await planFrom(team(5), team(3)))).toHaveLength(1);
  expect(verdicts(await planFrom(team(4), team(3)))).toEqual([]);
});

test.each([
  ['--allow-deletes', {}, { allowDeletes: 4 }],
  ['a higher percentage', { settings: { limits: { deletePercent: 40 } } }, {}],
  ['no percentage', { settings: { limits: { deletePercent: null } } }, {}],
])('accepts it with %s', async (_what, settings, options) => {
  expect(verdicts(await planFrom(team(10), team(6, settings), options))).toEqual([]);
});

test('refuses one delete more than --allow-deletes', async () => {
  expect(verdicts(await planFrom(team(10), team(6), { allowDeletes: 3 }))).toHaveLength(1);
});

test('counts the members of a deleted team', async () => {
  const plan = await planFrom(team(10), { teams: {} });
  expect(verdicts(plan)).toEqual([
    'limits organization: 11 objects would be deleted (1 team, 10 members of teams); the limit is 10',
  ]);
});

test('counts the members of a deleted team that the manifests never declared', async () => {
  const plan = await planFrom(team(10), { teams: {}, settings: { prune: 'unlisted' } }, {});
  expect(verdicts(plan)[0]).toContain('(1 team, 10 members of teams)');
});

const section = (key: string) => ({
  title: key,
  path: key,
  spaces: { a: { space: 'guide' }, b: { space: 'blog' } },
});
const spaces = { guide: { id: 'sp_guide' }, blog: { id: 'sp_blog' } };
const structure = (keys: readonly string[], shareLinks: object) => ({
  spaces,
  settings: { limits: { deletes: 2, deletePercent: null } },
  sites: {
    hub: {
      title: 'Hub',
      sections: Object.fromEntries(keys.map((key) => [key, section(key)])),
      default: 'one',
      shareLinks,
    },
  },
});

test('counts the site-spaces of a deleted section', async () => {
  const plan = await planFrom(structure(['one', 'two'], {}), structure(['one'], {}));
  expect(verdicts(plan)).toEqual([
    'limits organization: 3 objects would be deleted (1 section, 2 site-spaces); the limit is 2',
  ]);
});

test('counts the structure and share links of a deleted site', async () => {
  const links = { friends: { name: 'Friends' }, partners: { name: 'Partners' } };
  const settings = { limits: { deletes: 6, deletePercent: null }, protect: ['!**'] };
  const plan = await planFrom(structure(['one', 'two'], links), { spaces, sites: {}, settings });
  expect(verdicts(plan)).toEqual([
    'limits organization: 9 objects would be deleted (2 sections, 2 share links, 1 site, 4 site-spaces); the limit is 6',
  ]);
});

test('counts unmanaged contents of a deleted site', async () => {
  const settings = { limits: { deletes: 1 }, protect: ['!**'] };
  const head = { octavo: 1, organization: 'org_acme', settings };
  const links = { friends: { name: 'Friends' }, partners: { name: 'Partners' } };
  const all = await treeOf({ ...head, sites: { hub: { title: 'Hub', shareLinks: links } } });
  await harness.apply(all, await harness.plan(all));
  const base = await treeOf({ ...head, sites: { hub: { title: 'Hub' } } });
  const plan = await harness.plan(await treeOf({ ...head, sites: {} }), { base });
  expect(verdicts(plan)).toEqual([
    'limits organization: 3 objects would be deleted (2 share links, 1 site); the limit is 1',
  ]);
});

test('refuses to delete a collection with unmanaged spaces', async () => {
  const head = { octavo: 1, organization: 'org_acme', settings: { protect: ['!**'] } };
  const spaces = { faq: { id: 'sp_faq' }, notes: { id: 'sp_notes' } };
  const all = await treeOf({ ...head, collections: { books: { title: 'Books', spaces } } });
  await harness.apply(all, await harness.plan(all));
  const base = await treeOf({ ...head, collections: { books: { title: 'Books' } } });
  const plan = await harness.plan(await treeOf({ ...head, collections: {} }), { base });
  expect(verdicts(plan)).toEqual([
    'contents collections/books: collection "Books" still contains space "FAQ", space "Notes"',
  ]);
});

test('counts the spaces of a deleted collection', async () => {
  const spaces = { faq: { id: 'sp_faq' }, notes: { id: 'sp_notes' } };
  const settings = { protect: ['!**'], limits: { deletes: 2, deletePercent: null } };
  const plan = await planFrom(
    { collections: { books: { title: 'Books', spaces } } },
    { collections: {}, settings },
  );
  expect(verdicts(plan)).toEqual([
    'limits organization: 3 objects would be deleted (1 collection, 2 spaces); the limit is 2',
  ]);
});

test('omits only the refused deletes with --skip-refused', async () => {
  const plan = await planFrom(team(10), team(6, { translations: { french: { title: 'French' } } }), {
    skipRefused: true,
  });
  expect(plan.steps.map(({ id }) => id)).toEqual(['translations/french#create']);
  expect(plan.refusals.map(({ skipped }) => skipped)).toEqual([true]);
});

test('includes objects that no list shows in the total: no share exceeds 100%', async () => {
  const titles = Array.from({ length: 24 }, (_, at) => `Page ${at}`);
  const spaces = titles.map((title, at) => ({ id: `sp_page${at}`, title }));
  harness.service.reset({
    ...seed,
    organizations: seed.organizations.map((organization) => ({ ...organization, spaces })),
  });
  const settings = { protect: ['!**'], limits: { deletes: null } };
  const declared = Object.fromEntries(titles.map((title, at) => [`p${at}`, { title }]));
  const head = { octavo: 1, organization: 'org_acme', settings };
  const base = await treeOf({ ...head, spaces: declared });
  const found = verdicts(await harness.plan(await treeOf({ ...head, spaces: {} }), { base }));
  expect(found).toEqual([
    'limits organization: 24 of the 24 objects that were read (100%) would be deleted; the limit is 25%',
  ]);
});

test.each([
  [7, 25],
  [14, 25],
  [11, 20],
  [7, 50],
  [28, 50],
  [29, 50],
])('the percentage of %i of %i is the one that is compared', async (count, of) => {
  const crowd = Array.from({ length: of }, (_, at) => ({
    ...{ id: `user_c${at}`, email: `c${at}@acme.dev`, displayName: `C ${at}`, role: 'read' as const },
  }));
  harness.service.reset({
    ...seed,
    organizations: seed.organizations.map((one) => ({ ...one, members: [...(one.members ?? []), ...crowd] })),
  });
  const head = { octavo: 1, organization: 'org_acme' };
  const members = (left: number, limits?: object) =>
    treeOf({
      ...head,
      ...(limits && { settings: { limits } }),
      teams: {
        t: {
          title: 'Team',
          members: Object.fromEntries(crowd.slice(0, left).map(({ email }) => [email, 'member'])),
        },
      },
    });
  const base = await members(of);
  await harness.apply(base, await harness.plan(base));
  const refusals = async (limits: object) =>
    (await harness.plan(await members(of - count, limits), { base })).refusals;
  const messages = (await refusals({ deletes: null, deletePercent: 1 })).map(({ message }) => message);
  const [, shown = ''] =
    new RegExp(`${count} of ${of} members of teams/t \\((\\d+)%\\)`).exec(messages.join(' ')) ?? [];
  expect([count * 100 <= Number(shown) * of, count * 100 > (Number(shown) - 1) * of]).toEqual([true, true]);
  // The number that is shown is the limit that allows it, and one less refuses it.
  expect(await refusals({ deletes: null, deletePercent: Number(shown) })).toEqual([]);
  expect(await refusals({ deletes: null, deletePercent: Number(shown) - 1 })).not.toEqual([]);
});

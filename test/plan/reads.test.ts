/** Plans read each list once, all lists of a stage in parallel, in a number of rounds independent of the workspace. */
import { expect, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { registry } from '../../src/kinds/index.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { addressMatcher } from '../../src/util/glob.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

/** Records each request with its ids, and the highest number of requests in flight. */
function watched(api: Api) {
  const sent: string[] = [];
  let underWay = 0;
  let most = 0;
  const watch = async <T>(name: string, send: () => Promise<T>): Promise<T> => {
    sent.push(name);
    underWay += 1;
    most = Math.max(most, underWay);
    try {
      return await send();
    } finally {
      underWay -= 1;
    }
  };
  const named = (operation: string, { params, query }: Parameters<Api['all']>[1]) =>
    JSON.stringify([operation, params, query]);
  const seen: Api = {
    send: (operation, input) => watch(named(operation, input), () => api.send(operation, input)),
    all: (operation, input) => watch(named(operation, input), () => api.all(operation, input)),
  };
  return { api: seen, sent, most: () => most };
}

/** Sites with sections, nested collections and teams with members. */
function workspace(count: number, changed = '') {
  const numbers = Array.from({ length: count }, (_one, index) => index);
  const object = (make: (index: number) => unknown) =>
    Object.fromEntries(numbers.map((index) => [`n${index}`, make(index)]));
  return {
    spaces: { guide: { id: 'sp_guide' } },
    teams: object((index) => ({ title: `Team ${index}${changed}`, members: { 'bob@acme.dev': 'member' } })),
    collections: object((index) => ({
      title: `Outer ${index}`,
      collections: { inner: { title: `Inner ${index}`, spaces: {} } },
    })),
    sites: object((index) => ({
      title: `Site ${index}`,
      shareLinks: {},
      sections: { main: { title: 'Main', path: 'main', spaces: { main: { space: 'guide' } } } },
    })),
  };
}

test.each([2, 12])(
  'reads %i sites, teams and collections in two rounds without repetition',
  async (count) => {
    const tree = await treeOf(workspace(count));
    await harness.apply(tree, await harness.plan(tree));
    const { api, sent, most } = watched(harness.api);
    const { plan, rounds } = await planTree(api, tree, { registry });
    expect(plan.steps).toEqual([]);
    // First the lists of the organization; then those of sites and collections, unlisted details and the pinned space.
    expect(rounds).toBe(2);
    expect(new Set(sent).size).toBe(sent.length);
    // Four lists of each site and one of each inner collection are read in parallel.
    expect(most()).toBeGreaterThanOrEqual(4 * count + count);
  },
);

test('needs two more rounds for deletes and renames, independent of their number', async () => {
  const first = await treeOf(workspace(6));
  await harness.apply(first, await harness.plan(first));
  const wanted = {
    ...workspace(6, ' anew'),
    sites: {},
    settings: { prune: 'unlisted', limits: { deletes: null, deletePercent: null } },
  };
  const { api, sent } = watched(harness.api);
  const { plan, rounds } = await planTree(api, await treeOf(wanted), { registry });
  expect(plan.steps.filter(({ phase }) => phase === 'delete')).toHaveLength(12);
  expect(rounds).toBeLessThanOrEqual(5);
  expect(new Set(sent).size).toBe(sent.length);
});

test('reads only the targets and their dependencies for a targeted plan', async () => {
  const tree = await treeOf(workspace(4));
  await harness.apply(tree, await harness.plan(tree));
  const readsFor = async (pattern: string) => {
    harness.reads.length = 0;
    await planTree(harness.api, tree, { registry, target: addressMatcher([pattern]) });
    return [...new Set(harness.reads)]
      .sort()
      .map((name) => [name, harness.reads.filter((one) => one === name).length]);
  };
  expect(await readsFor('teams/n0')).toEqual([
    ['orgs.get', 1],
    ['teams.list', 1],
    ['teams.listMembers', 1],
  ]);
  // Reads one site, the spaces that it may show and the collections that may contain them.
  expect(await readsFor('sites/n0/sections/**')).toEqual([
    ['collections.list', 1],
    ['collections.listSpaces', 4],
    ['orgs.get', 1],
    ['sectionGroups.list', 1],
    ['sections.list', 1],
    ['shareLinks.list', 1],
    ['siteSpaces.list', 1],
    ['sites.list', 1],
  ]);
  expect(await readsFor('organization')).toEqual([['orgs.get', 1]]);
  expect(await readsFor('teams/nobody/**')).toEqual([
    ['orgs.get', 1],
    ['teams.list', 1],
  ]);
});

test('reads newly declared values of a renamed object before changing it', async () => {
  const tree = (part: object) => treeOf({ settings: { protect: ['!**'] }, ...part });
  const sections = (path: string) => ({
    sections: { guides: { title: 'Guides', path, spaces: { main: { space: { id: 'sp_guide' } } } } },
  });
  const site = (title: string, more: object = {}) => ({
    hub: { title, type: 'basic', visibility: 'public', ...more },
  });
  const first = await tree({
    teams: { crew: { title: 'Red', members: { 'ada@acme.dev': 'owner' } } },
    sites: site('Hub', sections('guides')),
  });
  await harness.apply(first, await harness.plan(first));
  const base = await tree({ teams: { crew: { title: 'Red' } }, sites: site('Hub') });
  const desired = await tree({
    teams: { crew: { title: 'Blue', members: { 'bob@acme.dev': 'member' } } },
    sites: site('Docs', sections('guides')),
  });
  const plan = await harness.plan(desired, { base });
  expect(
    plan.steps.map(({ id, fields }) => [id, fields.map(({ field, before }) => [field, before])]),
  ).toEqual([
    [
      'teams/crew#update',
      [
        ['title', 'Red'],
        ['members', { 'ada@acme.dev': 'owner' }],
      ],
    ],
    ['sites/hub#update', [['title', 'Hub']]],
  ]);
  await harness.apply(desired, plan, undefined, { base });
  expect((await harness.plan(desired)).steps).toEqual([]);
});

/** A space created with a new site: in the document form, the only way to create a space that is not a copy. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import type { Api } from '../../src/contract/api.ts';
import { registry } from '../../src/kinds/index.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { isRecord } from '../../src/util/json.ts';
import { breakingOff } from '../support/apis.ts';
import { asPlan, type Harness, startHarness, treeOf } from '../support/harness.ts';
import { brokenInvariants } from '../support/invariants.ts';

const harness: Harness = await startHarness();
afterAll(() => harness.close());
beforeEach(() => harness.reset());

const fresh = { title: 'Fresh start', emoji: '🌱', create: 'empty' };
const shown = { main: { space: 'fresh', path: 'start' } };

const workspace = (more: object = {}, site: object = { spaces: shown }, space: object = fresh) =>
  treeOf({
    spaces: { fresh: space },
    sites: { product: { title: 'Product', ...site } },
    ...more,
  });

type Tree = Awaited<ReturnType<typeof workspace>>;

const requests = (steps: Awaited<ReturnType<Harness['plan']>>['steps']) =>
  steps.flatMap(({ address, calls }) =>
    calls.map(({ operation, body }) => `${address} ${operation} ${JSON.stringify(body ?? null)}`),
  );

/** Applies the tree, expects an empty plan, and returns the number of new spaces. */
async function settles(tree: Tree): Promise<number> {
  const { organizations } = await harness.apply(tree, await harness.plan(tree));
  expect(organizations.flatMap(({ outcomes }) => outcomes.filter(({ type }) => type !== 'done'))).toEqual([]);
  expect((await harness.plan(tree)).steps).toEqual([]);
  expect(brokenInvariants(harness.service)).toEqual([]);
  return harness.service.store.every('space').length - 6;
}

test('creates the site with the space, finds the space in it and sets its title', async () => {
  const tree = await workspace();
  expect(requests((await harness.plan(tree)).steps)).toEqual([
    'sites/product sites.create {"title":"Product","spaces":"empty"}',
    'spaces/fresh siteSpaces.list null',
    'spaces/fresh spaces.move {"parent":null}',
    'spaces/fresh spaces.update {"title":"Fresh start","emoji":"🌱"}',
    'sites/product/spaces/main siteSpaces.list null',
    'sites/product/spaces/main siteSpaces.update {"path":"start"}',
  ]);
  expect(await settles(tree)).toBe(1);
});

test('moves the space into its collection and shows it on other sites', async () => {
  const tree = await treeOf({
    collections: {
      product: { title: 'Product', spaces: { fresh: { title: 'Fresh start', create: 'sample' } } },
    },
    sites: {
      product: { title: 'Product', spaces: { main: { space: 'fresh' } } },
      all: {
        title: 'All',
        sections: { product: { title: 'Product', spaces: { main: { space: 'fresh' } } } },
      },
    },
  });
  expect(await settles(tree)).toBe(1);
});

describe('refuses to create a space and suggests an alternative', () => {
  const refused = async (tree: Tree) => {
    const { refusals, steps } = await harness.plan(tree);
    expect(requests(steps).filter((line) => line.includes('"spaces":'))).toEqual([]);
    return refusals
      .filter(({ guard }) => guard === 'missing')
      .map(({ address, message, suggestion }) => [address, message, suggestion.split('\n').at(-1)]);
  };
  const reason =
    'space "Fresh start" not found: create: applies only to a space that a new site without sections shows alone';
  const alternatives =
    'pin it with id: (see its address in the app), or create it with duplicateOf: another-space';

  test.each<[string, object, object?]>([
    ['no site shows it', {}],
    ['the site has sections', { sections: { guides: { title: 'Guides', spaces: shown } } }],
    ['the site shows another space, too', { spaces: { ...shown, more: { space: { id: 'sp_notes' } } } }],
  ])('if %s', async (_why, site) => {
    expect(await refused(await workspace({}, site))).toEqual([['spaces/fresh', reason, alternatives]]);
  });

  test('if the site already exists', async () => {
    await settles(await workspace({ spaces: {} }, {}));
    expect(await refused(await workspace())).toEqual([['spaces/fresh', reason, alternatives]]);
  });

  test('if create: is not set, with create: as a third alternative', async () => {
    expect(await refused(await workspace({}, { spaces: shown }, { title: 'Fresh start' }))).toEqual([
      [
        'spaces/fresh',
        'space "Fresh start" not found: it was found neither by title in its collection, nor in a site, nor by search',
        'pin it with id: (see its address in the app), create it with duplicateOf: another-space, or let a new site create it, with create: empty',
      ],
    ]);
  });

  test('if the target excludes its site', async () => {
    const plan = await harness.plan(await workspace(), { target: ['spaces/fresh'] });
    expect(plan.refusals).toMatchObject([{ guard: 'missing', address: 'spaces/fresh' }]);
  });
});

test('duplicates the source if duplicateOf is set', async () => {
  const tree = await workspace({}, { spaces: shown }, { ...fresh, duplicateOf: { id: 'sp_guide' } });
  expect(requests((await harness.plan(tree)).steps).join()).toContain('spaces.duplicate');
  expect(await settles(tree)).toBe(1);
});

test('does not create an existing space again', async () => {
  expect(await settles(await workspace())).toBe(1);
  const tree = await workspace({
    sites: { product: { title: 'Product', spaces: shown }, other: { title: 'Other', spaces: shown } },
  });
  expect(await settles(tree)).toBe(1);
});

test.each(Array.from({ length: 7 }, (_, last) => [last]))(
  'ends with one site and one space after an interruption at request %i, sent or not',
  async (last) => {
    for (const took of [true, false]) {
      harness.reset();
      const tree = await workspace();
      await applyPlan(asPlan(await harness.plan(tree)), {
        api: breakingOff(harness.api, last, took),
        registry,
        parallelism: 2,
        replan: () => Promise.reject(new Error('the connection is gone')),
        sleep: harness.sleep,
      });
      expect(await settles(tree)).toBe(1);
      expect(harness.service.store.every('site')).toHaveLength(1);
    }
  },
);

test('does not match an older space of an existing site', async () => {
  await harness.api.send('sites.create', {
    params: { organizationId: 'org_acme' },
    body: { title: 'Product', spaces: ['sp_notes'] },
  });
  const older = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(older)
      : isRecord(value)
        ? Object.fromEntries(
            Object.entries({
              ...value,
              ...(value.id === 'sp_notes' && { createdAt: '2025-01-01T00:00:00Z' }),
            }).map(([key, inner]) => [key, older(inner)]),
          )
        : value;
  const { api } = harness;
  const shows: Api = {
    send: async (operation, input) => older(await api.send(operation, input)),
    all: async (operation, input) => older(await api.all(operation, input)) as readonly unknown[],
  };
  const { plan } = await planTree(shows, await workspace(), { registry });
  expect(plan.ids['spaces/fresh']).toBeUndefined();
  expect(plan.refusals).toMatchObject([{ guard: 'missing', address: 'spaces/fresh' }]);
});

/** A pinned id without an object, now or after the apply, refuses only its own object. */
import { describe, expect, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

type Data = Readonly<Record<string, unknown>>;

function tree(data: Data): Promise<DesiredTree> {
  return treeOf(data);
}

async function apply(data: Data): Promise<OrganizationPlan> {
  const wanted = await tree(data);
  const result = await harness.apply(wanted, await harness.plan(wanted));
  expect(isComplete(result)).toBe(true);
  const after = await harness.plan(wanted);
  expect(after.steps).toEqual([]);
  return after;
}

function refusals({ refusals: all }: OrganizationPlan): readonly string[] {
  return all.map(({ address, message, suggestion }) => `${address}: ${message} → ${suggestion}`);
}

const spaces = { h: { id: 'sp_guide' }, c: { id: 'sp_blog' }, x: { id: 'sp_faq' } };
const site = (entries: Data) => ({
  spaces,
  sites: { s: { title: 'Site', sections: { a: { title: 'Guides', path: 'a', spaces: entries } } } },
});
const m = 'sites/s/sections/a/spaces/m';

describe('a pinned object with a change that forces replacement', () => {
  async function pinnedSite(): Promise<string> {
    const { ids } = await apply(site({ m: { space: 'h', path: 'one' }, n: { space: 'c', path: 'two' } }));
    return ids[m] ?? '';
  }

  test.each([
    ['another space', { m: { space: 'x', path: 'one' }, n: { space: 'c', path: 'two' } }],
    ['the space of its neighbor', { m: { space: 'c', path: 'one' }, n: { space: 'h', path: 'two' } }],
  ])('is refused (%s), and its help works', async (_name, { m: pinned, n }) => {
    const id = await pinnedSite();
    const plan = await harness.plan(await tree(site({ m: { id, ...pinned }, n })));
    expect(refusals(plan)).toEqual([
      `${m}: space of the site-space ${id} cannot be changed, and a new one gets another id → remove the line id: ${id}; or restore its space`,
    ]);
    await apply(site({ m: pinned, n }));
  });

  test('is refused in a rotation of three with an overlay of ids', async () => {
    const three = {
      m: { space: 'h', path: 'one' },
      n: { space: 'c', path: 'two' },
      o: { space: 'x', path: 'three' },
    };
    const { ids } = await apply(site(three));
    const turned = {
      m: { ...three.m, space: 'c' },
      n: { ...three.n, space: 'x' },
      o: { ...three.o, space: 'h' },
    };
    const pinned = Object.entries(turned).map(
      ([key, one]) => [key, { id: ids[`sites/s/sections/a/spaces/${key}`], ...one }] as const,
    );
    const plan = await harness.plan(await tree(site(Object.fromEntries(pinned))));
    expect(plan.refusals.map(({ address }) => address.slice(-1))).toEqual(['m', 'n', 'o']);
    await apply(site(turned));
  });

  test('is refused for another kind', async () => {
    const fields = { customFields: { tier: { title: 'Tier', type: 'text' } } };
    const { ids } = await apply(fields);
    const id = ids['customFields/tier'];
    const wanted = {
      customFields: { tier: { id, title: 'Tier', type: 'number' } },
      teams: { t: { title: 'Team' } },
    };
    const plan = await harness.plan(await tree(wanted));
    expect(plan.refusals.map(({ address }) => address)).toEqual(['customFields/tier']);
  });

  test('is refused inside an object that is replaced', async () => {
    const basic = { sites: { s: { title: 'Site', type: 'basic', shareLinks: { all: { name: 'All' } } } } };
    const { ids } = await apply(basic);
    const id = ids['sites/s/shareLinks/all'];
    const wanted = {
      sites: { s: { title: 'Site', type: 'premium', shareLinks: { all: { id, name: 'All' } } } },
    };
    const plan = await harness.plan(await tree(wanted));
    expect(plan.refusals.map(({ address }) => address)).toContain('sites/s/shareLinks/all');
  });
});

describe('a pinned object that is not live', () => {
  const pinned = (fields: Data) => ({ teams: { docs: { title: 'Docs', ...fields }, api: { title: 'API' } } });

  test('is refused alone, and its help works', async () => {
    const wanted = await tree(pinned({ id: 'team_gone' }));
    const plan = await harness.plan(wanted, { skipRefused: true });
    expect(refusals(plan)).toEqual([
      'teams/docs: team "Docs" not found: no team here has the id team_gone → remove the line id: team_gone, to find it by name or create it; or fix the id; or remove the entry',
    ]);
    expect(plan.steps.map(({ address }) => address)).toEqual(['teams/api']);
    await apply(pinned({}));
  });

  test('suggests similar objects but does not match one by name', async () => {
    await apply(pinned({}));
    const plan = await harness.plan(await tree(pinned({ id: 'team_gone' })));
    const [refusal] = plan.refusals;
    expect(refusal?.suggestion).toMatch(/^if it is "Docs", add: id: team_\w+\n/);
    expect(plan.ids['teams/docs']).toBeUndefined();
  });

  test('does not affect a targeted plan of other objects', async () => {
    const wanted = await tree(pinned({ id: 'team_gone' }));
    const plan = await harness.plan(wanted, { target: ['teams/api'] });
    expect(plan.refusals).toEqual([]);
    expect(plan.steps.map(({ address }) => address)).toEqual(['teams/api']);
  });

  test('is refused inside an object to be created', async () => {
    const plan = await harness.plan(
      await tree({ sites: { s: { title: 'Site', shareLinks: { all: { id: 'sl_1', name: 'All' } } } } }),
    );
    expect(plan.refusals.map(({ address }) => address)).toEqual(['sites/s/shareLinks/all']);
    expect(plan.steps.map(({ address }) => address)).toContain('sites/s');
  });
});

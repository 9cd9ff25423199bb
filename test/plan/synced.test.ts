/** Sites and spaces with a repository as a second writer: refused, ignored, skipped, exported and undone changes. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import { exportOrganization } from '../../src/run/export/export.ts';
import type { Seed } from '../../src/server/index.ts';
import { loadTexts, onlyTree, seed, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { applyTree, onlyPlan, undoOf } from '../support/undo.ts';

const states = ['active', 'pending', 'unauthenticated'] as const;
const synced: Seed = {
  ...seed,
  organizations: seed.organizations.map((one) => ({
    ...one,
    sites: states.map((installationStatus) => ({
      id: `site_${installationStatus}`,
      title: installationStatus,
      gitSync: { repoName: `acme/${installationStatus}`, installationStatus },
      sections: [{ title: 'Guides', path: 'guides', spaces: [{ space: 'sp_guide', path: 'guide' }] }],
    })),
  })),
};

const harness = await sharedHarness(synced, registry, '2026');

const settings = { prune: 'unlisted', protect: ['!**'], limits: { deletes: null, deletePercent: null } };
const wanted = (state: string, more: object = {}) => ({
  octavo: 1,
  organization: { id: 'org_acme' },
  settings: { ...settings, pruneKinds: { site: 'never' } },
  sites: {
    docs: {
      id: `site_${state}`,
      visibility: 'unlisted',
      sections: { more: { title: 'More', path: 'more', spaces: { faq: { space: { id: 'sp_faq' } } } } },
      ...more,
    },
  },
});

describe.each(states)('a synchronization that is %s', (state) => {
  test('refuses changes of the structure, and the suggestion allows the other changes', async () => {
    const refused = await harness.plan(await treeOf(wanted(state)));
    expect(refused.refusals.map(({ guard, address }) => [guard, address])).toEqual([
      ['synced', 'sites/docs/sections/more'],
      ['synced', 'sites/docs/sections/more/spaces/faq'],
      ['synced', expect.stringMatching(/^sites\/docs\/sections\/id=/)],
    ]);
    const [line] = /lifecycle: \{[^}]*\}/.exec(refused.refusals[0]?.suggestion ?? '') ?? [];
    expect(line).toBe('lifecycle: { ignore: synced }');
    const allowed = await treeOf(wanted(state, { lifecycle: { ignore: 'synced' } }));
    const plan = await harness.plan(allowed);
    expect(plan.refusals).toEqual([]);
    expect(plan.steps.map(({ id }) => id)).toEqual(['sites/docs#update']);
    await harness.apply(allowed, plan);
    expect((await harness.plan(allowed)).steps).toEqual([]);
  });

  test('omits the structure with --skip-refused', async () => {
    const tree = await treeOf(wanted(state));
    const plan = await harness.plan(tree, { skipRefused: true });
    expect(plan.steps.map(({ id }) => id)).toEqual(['sites/docs#update']);
    expect(plan.refusals.every(({ skipped }) => skipped === true)).toBe(true);
  });
});

test('exports sites with ignore: synced, and later changes by the repository are not drift', async () => {
  const exported = await exportOrganization(harness.api, {
    registry,
    layout: 'one',
    pin: 'ambiguous',
  });
  const texts = Object.fromEntries(exported.files.map(({ name, text }) => [name, text]));
  expect(
    Object.values(texts)
      .join('')
      .match(/ignore: synced/g),
  ).toHaveLength(3);
  const tree = onlyTree(await loadTexts(texts));
  expect((await harness.plan(tree)).steps).toEqual([]);
  const params = { organizationId: 'org_acme', siteId: 'site_active' };
  await harness.api.send('sites.update', { params, body: { title: 'Renamed in the repository' } });
  expect((await harness.plan(tree)).steps).toEqual([]);
});

test('undoes only the fields that Octavo wrote', async () => {
  const run = await applyTree(
    harness,
    await treeOf({
      ...wanted('active', { lifecycle: { ignore: 'synced' }, sections: undefined }),
    }),
  );
  expect(onlyPlan(await undoOf(harness, run)).steps.map(({ id }) => id)).toEqual(['sites/docs#update']);
});

test('accepts ignore: synced only for sites and spaces', async () => {
  const text = stringify({
    octavo: 1,
    organization: { id: 'org_acme' },
    teams: { a: { title: 'A', lifecycle: { ignore: 'synced' } } },
  });
  await expect(loadTexts({ 'a.yaml': text })).rejects.toMatchObject({
    diagnostics: [{ message: expect.stringContaining('unknown field "synced"') }],
  });
});

test('refuses no change at a service of the document form', async () => {
  harness.reset({}, 'document');
  const { refusals } = await harness.plan(await treeOf(wanted('active')));
  expect(refusals.filter(({ guard }) => guard === 'synced')).toEqual([]);
});

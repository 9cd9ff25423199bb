/** A saved plan after changes by others: another order, and a name that is now in use. */
import { expect, test } from 'vitest';
import { planDigest } from '../../src/run/approval/digest.ts';
import type { SeedOrganization } from '../../src/server/seed/seed-file.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { asPlan, seed, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness({
  ...seed,
  organizations: seed.organizations.map(
    (one): SeedOrganization => ({
      ...one,
      teams: [{ id: 'team_other', title: 'Other' }],
      sites: [
        {
          id: 'site_hub',
          title: 'Hub',
          sections: ['Guides', 'API', 'Tutorials'].map((title, at) => ({
            id: `sec_${at}`,
            title,
            path: title.toLowerCase(),
            spaces: [{ id: `ss_${at}`, space: 'sp_guide' }],
          })),
        },
      ],
    }),
  ),
});

const params = { organizationId: 'org_acme' };

async function problemsOf(recheck: Promise<unknown>): Promise<readonly string[]> {
  const error = await recheck.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return [];
  if (error instanceof DiagnosticError) return error.diagnostics.map(({ message }) => message);
  throw error;
}

test.each(['asked', 'saved'] as const)(
  'does not send moves that were planned for another order: %s',
  async (way) => {
    const sections = (titles: readonly string[]) =>
      Object.fromEntries(titles.map((title) => [title.toLowerCase(), { title, path: title.toLowerCase() }]));
    const tree = await treeOf({
      octavo: 1,
      organization: { id: 'org_acme' },
      sites: { hub: { title: 'Hub', sections: sections(['Tutorials', 'Guides', 'API']) } },
    });
    const plan = await harness.plan(tree);
    expect(plan.steps.map(({ phase }) => phase)).toEqual(['move']);
    expect(await problemsOf(harness.recheck(plan, way))).toEqual([]);
    await harness.api.send('sections.move', {
      params: { ...params, siteId: 'site_hub', siteSectionId: 'sec_1' },
      body: { position: { before: { type: 'site-section', siteSection: 'sec_0' } } },
    });
    expect((await problemsOf(harness.recheck(plan, way))).join()).toContain(
      'changed since the plan was made',
    );
  },
);

test.each(['asked', 'saved'] as const)(
  'does not create an object whose title is now used by another one: %s',
  async (way) => {
    const tree = await treeOf({
      octavo: 1,
      organization: { id: 'org_acme' },
      teams: { support: { title: 'Support' } },
    });
    const plan = await harness.plan(tree);
    await harness.api.send('teams.update', {
      params: { ...params, teamId: 'team_other' },
      body: { title: 'Support' },
    });
    const problems = await problemsOf(harness.recheck(plan, way));
    const today = problems.length > 0 ? [] : (await harness.recheck(plan, way)).steps;
    expect(today.filter(({ phase }) => phase === 'create')).toEqual([]);
  },
);

test('includes the order of new sections in the digest', async () => {
  const digestOf = async (keys: readonly string[]) => {
    const section = (key: string) => ({
      title: `New ${key}`,
      path: key,
      spaces: { main: { space: 'guide' } },
    });
    const tree = await treeOf({
      octavo: 1,
      organization: { id: 'org_acme' },
      spaces: { guide: { id: 'sp_guide' } },
      sites: {
        fresh: { title: 'Fresh', sections: Object.fromEntries(keys.map((key) => [key, section(key)])) },
      },
    });
    return planDigest(asPlan(await harness.plan(tree)));
  };
  expect(await digestOf(['aa', 'bb'])).not.toBe(await digestOf(['bb', 'aa']));
});

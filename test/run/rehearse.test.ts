/** A rehearsal of a large organization: the copy has all read objects in order. */
import { expect, test } from 'vitest';
import { seed as acme, startHarness, treeOf } from '../support/harness.ts';
import { patience, runs } from '../support/runs.ts';

const count = runs(400);

const sections = Array.from({ length: count }, (_, n) => ({
  id: `sect_${n}`,
  title: `Section ${n}`,
  path: `s-${n}`,
  spaces: [{ space: `sp_${n}` }],
}));

const spaces = sections.map((_, n) => ({ id: `sp_${n}`, title: `Space ${n}` }));

test('rehearses a few changes among hundreds of sections', { timeout: patience(60_000) }, async () => {
  const [organization] = acme.organizations;
  const harness = await startHarness({
    ...acme,
    organizations: [
      { ...organization, title: 'Acme', spaces, sites: [{ id: 'site_hub', title: 'Hub', sections }] },
    ],
  });
  const wanted = sections.map(({ title, path }, n) => [
    path,
    { title: n % (count / 4) === 0 ? `New ${title}` : title, path },
  ]);
  const moved = [...wanted.slice(1, count / 2), wanted[0], ...wanted.slice(count / 2)];
  const tree = await treeOf({
    octavo: 1,
    organization: { id: 'org_acme' },
    sites: { hub: { title: 'Hub', sections: Object.fromEntries(moved as [string, unknown][]) } },
  });
  const planned = await harness.plan(tree);
  expect(planned.steps.length).toBe(5);
  const { rehearsal, staged } = await harness.rehearse(planned);
  const { review: _review, ...decided } = planned;
  expect(staged).toEqual(decided);
  expect(rehearsal).toMatchObject({ converges: true, steps: 5 });
  await harness.close();
});

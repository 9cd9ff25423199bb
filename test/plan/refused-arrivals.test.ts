/** Moves assume that all siblings arrive: if the arrival of one is left out, they are left out, too. */
import { expect, test } from 'vitest';
import { type HarnessOptions, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const section = (title: string) => ({ title, spaces: { guide: { space: 'guide' } } });
const documentOf = (sections: object) => ({
  settings: { prune: 'unlisted' },
  spaces: { guide: { id: 'sp_guide' } },
  sites: { docs: { title: 'Docs', sections } },
});

test.each<[string, HarnessOptions]>([
  ['refused, because it looks like a renamed one', { skipRefused: true }],
  [
    'excluded',
    { exclude: ['sites/docs/sections/{group,other,former,older}', 'sites/docs/sections/{group,other}/**'] },
  ],
])('does not move an object behind a group that is %s', async (_, options) => {
  const before = await treeOf(
    documentOf({
      former: section('Guides of the house'),
      older: section('Words of the year'),
      last: section('Last'),
    }),
  );
  await harness.apply(before, await harness.plan(before));
  const tree = await treeOf(
    documentOf({
      group: { title: 'Group', sections: { first: section('Guides of the home') } },
      other: { title: 'Other', sections: { second: section('Words of the years') } },
      last: section('Last'),
    }),
  );
  const whole = await harness.plan(tree);
  expect(whole.steps.map(({ id }) => id)).toContain('sites/docs/sections/last#move');
  const plan = await harness.plan(tree, options);
  expect(plan.steps.map(({ id }) => id)).not.toContain('sites/docs/sections/last#move');
});

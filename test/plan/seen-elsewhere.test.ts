/** An object first seen in another response is judged by its own list after that list is read. */
import { expect, test } from 'vitest';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

test('deletes a space with its unlisted collection, even if a site showed it first', async () => {
  const sites = {
    hub: {
      title: 'Hub',
      sections: { main: { title: 'Main', path: 'main', spaces: { main: { space: { id: 'sp_faq' } } } } },
    },
  };
  const first = await treeOf({
    collections: { books: { title: 'Books', spaces: { faq: { id: 'sp_faq' } } } },
    sites,
  });
  await harness.apply(first, await harness.plan(first));
  const second = await treeOf({
    settings: { prune: 'unlisted', protect: ['!**'], limits: { deletes: null, deletePercent: null } },
    collections: {},
    sites,
  });
  const { steps, refusals } = await harness.plan(second);
  expect(refusals).toEqual([]);
  expect(steps.map(({ kind, phase }) => `${kind} ${phase}`)).toEqual(['space delete', 'collection delete']);
});

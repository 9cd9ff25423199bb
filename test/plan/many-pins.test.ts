/** The lookups of a plan of pinned objects grow with the number of objects, not with its square. */
import { expect, test, vi } from 'vitest';
import { DesiredTree } from '../../src/tree/desired-tree.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const teams = (count: number, ids: (at: number) => { readonly id?: string }) =>
  treeOf({
    teams: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`t${at}`, { title: `Team ${at}`, was: [], ...ids(at) }]),
    ),
  });

/** Number of desired objects visited to plan `count` unchanged pinned ones. */
async function visited(count: number): Promise<number> {
  harness.reset();
  const before = await teams(count, () => ({}));
  await harness.apply(before, await harness.plan(before));
  const { ids } = await harness.plan(before);
  const pinned = await teams(count, (at) => ({ id: ids[`teams/t${at}`] ?? '' }));
  let seen = 0;
  const { childrenOf } = DesiredTree.prototype;
  vi.spyOn(DesiredTree.prototype, 'childrenOf').mockImplementation(function (this: DesiredTree, address) {
    const found = childrenOf.call(this, address);
    seen += found.length + 1;
    return found;
  });
  try {
    const { steps } = await harness.plan(pinned);
    expect(steps).toEqual([]);
    return seen;
  } finally {
    vi.restoreAllMocks();
  }
}

test('visits about four times as many objects for four times as many pins', async () => {
  const [few, many] = [await visited(40), await visited(160)];
  expect(many / few).toBeLessThan(5);
});

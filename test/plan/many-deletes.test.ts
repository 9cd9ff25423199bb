/** The lookups of a plan of deletes grow with the number of deletes, not with its square. */
import { expect, test, vi } from 'vitest';
import { LiveTree } from '../../src/tree/live.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const teams = (count: number) =>
  treeOf({
    settings: { prune: 'unlisted', limits: { deletes: null, deletePercent: null } },
    teams: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`t${at}`, { title: `Team ${at}`, was: [] }]),
    ),
  });

/** Number of live objects visited to plan `count` deletes. */
async function visited(count: number): Promise<number> {
  harness.reset();
  const before = await teams(count);
  await harness.apply(before, await harness.plan(before));
  let seen = 0;
  const counted = <T>(found: readonly T[]): readonly T[] => {
    seen += found.length;
    return found;
  };
  const [nodes, inScope] = [LiveTree.prototype.nodes, LiveTree.prototype.inScope];
  vi.spyOn(LiveTree.prototype, 'nodes').mockImplementation(function (this: LiveTree) {
    return counted(nodes.call(this));
  });
  vi.spyOn(LiveTree.prototype, 'inScope').mockImplementation(function (this: LiveTree, ...args) {
    return counted(inScope.apply(this, args));
  });
  try {
    const plan = await harness.plan(await teams(0));
    expect(plan.steps.filter(({ action }) => action === 'delete').length).toBeGreaterThanOrEqual(count);
    return seen;
  } finally {
    vi.restoreAllMocks();
  }
}

test('visits about four times as many objects for four times as many deletes', async () => {
  const [few, many] = [await visited(40), await visited(160)];
  expect(many / few).toBeLessThan(5);
});

/** A run that looks again before each of its deletes and whole values takes nothing that it did itself for the work of others. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workspaces } from '../support/arbitrary.ts';
import { type Harness, startHarness, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { combinations } from '../support/variants.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

test('a slow run applies what a quick one does', { timeout: patience(300_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(
      combinations,
      workspaces('org_acme'),
      workspaces('org_acme'),
      async ({ variants }, first, second) => {
        harness.reset(variants);
        harness.also = undefined;
        const before = await treeOf(first);
        await harness.apply(before, await harness.plan(before));
        harness.also = () => harness.sleep(60_000);
        const tree = await treeOf(second);
        const plan = await harness.plan(tree);
        if (plan.refusals.length > 0) return;
        const { organizations } = await harness.apply(tree, plan);
        const failed = organizations.flatMap(({ outcomes }) =>
          outcomes.flatMap((one) => (one.type === 'failed' ? [[one.step.id, one.error.message]] : [])),
        );
        expect(failed).toEqual([]);
        expect((await harness.plan(tree)).steps.map(({ id }) => id)).toEqual([]);
      },
    ),
    { ...tries(10), endOnFailure: true },
  );
});

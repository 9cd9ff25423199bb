/** A run interrupted anywhere, before or after a request took effect, can be run again without losses or duplicates. */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import { registry } from '../../src/kinds/index.ts';
import { breakingOff } from '../support/apis.ts';
import { anyForm } from '../support/arbitrary.ts';
import { asPlan, type Harness, startHarness, treeOf } from '../support/harness.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { patience, tries } from '../support/runs.ts';
import { combinations } from '../support/variants.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

test('converges if an interrupted apply is run again', { timeout: patience(300_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(
      combinations,
      anyForm,
      fc.nat(60),
      fc.boolean(),
      async ({ variants }, [own, document], last, took) => {
        harness.reset(
          { ...variants, invites: 'at-once', publishing: 'done', 'redirect-target': 'dangles' },
          own,
        );
        const tree = await treeOf(document);
        const planned = await harness.plan(tree);
        await applyPlan(asPlan(planned), {
          api: breakingOff(harness.api, last, took),
          registry,
          parallelism: 2,
          replan: () => Promise.reject(new Error('the connection is gone')),
          sleep: harness.sleep,
        });
        const rest = await harness.plan(tree);
        const { organizations } = await harness.apply(tree, rest);
        expect(
          organizations.flatMap(({ outcomes }) =>
            outcomes.filter(({ type }) => type !== 'done' && type !== 'satisfied'),
          ),
        ).toEqual([]);
        const after = await harness.plan(tree);
        // Undeclared members are kept: members are never pruned here.
        const unmanaged = after.unmanaged.filter(({ kind }) => kind !== 'member');
        expect([after.steps, unmanaged]).toEqual([[], []]);
        expect(brokenInvariants(harness.service)).toEqual([]);
      },
    ),
    { ...tries(14), endOnFailure: true },
  );
});

/** A targeted plan reads less and plans the same: its steps are those of the whole plan for the targets. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formOf } from '../../src/contract/form.ts';
import { registry } from '../../src/kinds/index.ts';
import { planOrganization } from '../../src/plan/make-plan.ts';
import type { Step } from '../../src/plan/plan.ts';
import { Scope } from '../../src/plan/scope/scope.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { addressMatcher } from '../../src/util/glob.ts';
import { type Document, workspaces } from '../support/arbitrary.ts';
import { treeOf } from '../support/harness.ts';
import { runKnown } from '../support/run-known.ts';
import { patience, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { combinations } from '../support/variants.ts';

const harness = await sharedHarness();

const meaningOf = (steps: readonly Step[]) => steps.map(({ id, action, calls }) => ({ id, action, calls }));

/** Refers to spaces by id (here equal to the key), since the document no longer declares them. */
function withoutCollections(document: Document): Document {
  const byId = (key: string, value: unknown) =>
    key === 'space' && typeof value === 'string' ? { id: value } : value;
  return { ...JSON.parse(JSON.stringify(document), byId), collections: {} };
}

test('plans the same steps for the targets as the whole plan', { timeout: patience(300_000) }, async () => {
  let reads = { whole: 0, targeted: 0 };
  await fc.assert(
    fc.asyncProperty(
      combinations,
      workspaces('org_acme'),
      workspaces('org_acme'),
      fc.nat(),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom('unlisted', 'removed'),
      async ({ variants }, first, wanted, choice, deep, withBase, loose, prune) => {
        const settings = { ...(wanted.settings as Document), prune };
        const second = { ...(loose ? withoutCollections(wanted) : wanted), settings };
        harness.reset(variants);
        const before = await treeOf(first);
        await harness.apply(before, await harness.plan(before));
        const tree = await treeOf(second);
        const options = { registry, past: withBase ? { tree: before } : {} };
        harness.reads.length = 0;
        const whole = await planTree(harness.api, tree, options);
        if (whole.problems.length > 0) return;
        const wholeReads = harness.reads.length;
        // Later reads do not change earlier decisions: reading everything first gives the same plan.
        const known = { ...options, registry: registry.under(formOf(whole.plan)) };
        const { plan: atOnce } = runKnown(planOrganization({ desired: tree, live: whole.live }, known));
        expect(JSON.stringify(atOnce)).toBe(JSON.stringify(whole.plan));
        const addresses = [
          ...new Set([...tree.nodes.keys(), ...whole.plan.steps.map(({ address }) => address)]),
        ];
        const address = addresses[choice % addresses.length] ?? 'organization';
        const target = addressMatcher(deep ? [address, `${address}/**`] : [address]);
        harness.reads.length = 0;
        const targeted = await planTree(harness.api, tree, { ...options, target });
        reads = { whole: reads.whole + wholeReads, targeted: reads.targeted + harness.reads.length };
        expect(targeted.problems).toEqual([]);
        const scope = new Scope({ desired: tree, base: undefined }, { registry, target });
        expect(meaningOf(targeted.plan.steps)).toEqual(meaningOf([...scope.select(whole.plan.steps)]));
      },
    ),
    { ...tries(10), endOnFailure: true },
  );
  expect(reads.targeted).toBeLessThan(reads.whole);
});

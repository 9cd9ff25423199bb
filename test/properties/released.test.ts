/** A collection whose key is removed is released: its objects are kept, and the plan reports it. An empty mapping deletes them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import type { ReviewedOrganization } from '../../src/review/reviewed-plan.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { removing, workspaces } from '../support/arbitrary.ts';
import { listsOf } from '../support/commit-edits.ts';
import { planOrNothing, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

function deletesOf({ steps }: OrganizationPlan): readonly string[] {
  return steps.flatMap(({ action, address }) => (action === 'delete' ? [address] : []));
}

test('releases the objects of a removed key, and deletes those of an empty mapping', {
  timeout: patience(120_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(workspaces('org_acme'), fc.nat(30), async (document, at) => {
      harness.reset();
      const first = removing(document);
      const base = await treeOf(first);
      await harness.apply(base, await harness.plan(base));
      const all = listsOf(document).filter(({ list }) => Object.keys(list).length > 0);
      const chosen = all[at % Math.max(1, all.length)];
      fc.pre(chosen !== undefined);
      const { holder, key, list } = chosen;

      delete holder[key];
      const without = await planWith(base, removing(document));
      expect(without === undefined ? [] : deletesOf(without)).toEqual([]);
      const reported = (without?.review?.policy ?? []).filter(({ change }) => change === 'released');
      if (without !== undefined) expect(reported.length, 'what the plan says').toBeGreaterThan(0);

      holder[key] = {};
      const emptied = await planWith(base, removing(document));
      // This policy keeps members and spaces; sections may be the contents of their group.
      if (emptied !== undefined && key !== 'spaces')
        expect(deletesOf(emptied).length, `${key} of ${Object.keys(list).length}`).toBeGreaterThan(0);
    }),
    { ...tries(20), endOnFailure: true },
  );
});

/** Returns undefined if the remaining objects refer to removed ones. */
async function planWith(base: DesiredTree, document: object): Promise<ReviewedOrganization | undefined> {
  const tree = await treeOf(document).catch((error: unknown) => {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  });
  return tree === undefined ? undefined : planOrNothing(harness, tree, { base });
}

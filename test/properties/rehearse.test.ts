/**
 * For any service, a rehearsal sees the given plan and does not reject a plan that the service accepts: its stage is
 * made from reads alone, without knowledge of the service.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import { type Document, workspaces } from '../support/arbitrary.ts';
import { planOrNothing, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { combinations } from '../support/variants.ts';

const harness = await sharedHarness();

test('accepts every plan that the service accepts', { timeout: patience(600_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(
      combinations,
      workspaces('org_acme'),
      workspaces('org_acme'),
      async ({ variants }, first, second) => {
        harness.reset(variants);
        await applyRehearsed(first);
        await applyRehearsed(second);
      },
    ),
    { ...tries(3), endOnFailure: true },
  );
});

async function applyRehearsed(document: Document): Promise<void> {
  const tree = await treeOf(document);
  const planned = await planOrNothing(harness, tree, {});
  if (planned === undefined || planned.refusals.length > 0) return;
  const [reads, sent] = [harness.reads.length, harness.sent.length];
  const { rehearsal, staged } = await harness.rehearse(planned);
  expect([harness.reads.length, harness.sent.length], 'a rehearsal asks for nothing').toEqual([reads, sent]);
  // A rehearsal does not review the plan again.
  const { review: _review, ...changes } = planned;
  expect(staged, 'the plan on the stage').toEqual(changes);
  const result = await harness.apply(tree, planned);
  if (!isComplete(result)) return;
  const { failures, leftover } = rehearsal;
  expect({ failures, leftover }, 'no false alarm').toEqual({ failures: [], leftover: [] });
}

/** A run that re-reads before each delete and whole value does not mistake its own changes for those of others. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspacesUnder } from '../support/arbitrary.ts';
import { treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { combinations } from '../support/variants.ts';

const harness = await sharedHarness();

test.each([
  ['of the document', 'document', {}],
  ['of the newer form', '2026', { invites: 'at-once', publishing: 'done', 'redirect-target': 'dangles' }],
] as const)(
  'applies the same in a slow run as in a quick one, at a service %s',
  {
    timeout: patience(300_000),
  },
  async (_, form, more) => {
    await fc.assert(
      fc.asyncProperty(
        combinations,
        workspacesUnder('org_acme', form),
        workspacesUnder('org_acme', form),
        async ({ variants }, first, second) => {
          harness.reset({ ...variants, ...more }, form);
          harness.also = undefined;
          const before = await treeOf(first);
          await harness.apply(before, await harness.plan(before));
          harness.also = () => harness.sleep(60_000);
          const tree = await treeOf(second);
          const plan = await harness.plan(tree);
          if (plan.refusals.length > 0) return;
          const { organizations } = await harness.apply(tree, plan);
          const failed = organizations.flatMap(({ outcomes }) =>
            outcomes.flatMap((one) => ('error' in one ? [[one.step.id, one.error.message]] : [])),
          );
          expect(failed).toEqual([]);
          expect((await harness.plan(tree)).steps.map(({ id }) => id)).toEqual([]);
        },
      ),
      { ...tries(10), endOnFailure: true },
    );
  },
);

/** A base older than the last apply does not revert that apply: the second plan against it is empty. */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Document, removing, workspaces } from '../support/arbitrary.ts';
import { type Harness, planOrNothing, startHarness, treeOf } from '../support/harness.ts';
import { patience, runs, tries } from '../support/runs.ts';
import { combinations } from '../support/variants.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

/** The document with the names rotated among the objects of each kind. */
function handedRound(document: Document, by: number): Document {
  const turned = ['teams', 'collections', 'sites', 'translations'].flatMap((collection) => {
    const objects = document[collection] as Readonly<Record<string, Document>> | undefined;
    if (objects === undefined) return [];
    const keys = Object.keys(objects);
    const title = (index: number) => objects[keys[(index + by) % keys.length] ?? '']?.title;
    const entries = keys.map((key, index) => [key, { ...objects[key], title: title(index) }] as const);
    return [[collection, Object.fromEntries(entries)] as const];
  });
  return { ...document, ...Object.fromEntries(turned) };
}

test('plans no change against an older base after an apply', { timeout: patience(600_000) }, async () => {
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(
      combinations,
      workspaces('org_acme'),
      workspaces('org_acme'),
      fc.boolean(),
      fc.integer({ min: 0, max: 2 }),
      async ({ variants }, first, second, same, by) => {
        harness.reset(variants);
        const base = await treeOf(removing(first));
        const desired = await treeOf(removing(handedRound(same ? first : second, by)));
        await harness.apply(base, await harness.plan(base));
        const planned = await planOrNothing(harness, desired, { base });
        if (planned === undefined || planned.refusals.length > 0) return;
        const { organizations } = await harness.apply(desired, planned, undefined, { base });
        expect(organizations.flatMap(({ leftover }) => leftover.map(({ id }) => id))).toEqual([]);
        checked += 1;
        const again = await harness.plan(desired, { base });
        expect(again.steps.map(({ id, fields }) => [id, fields])).toEqual([]);
      },
    ),
    { ...tries(18), endOnFailure: true },
  );
  expect(checked).toBeGreaterThan(runs(18) / 4);
});

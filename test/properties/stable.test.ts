/** A plan depends on the desired and the live state, not on the order of files and responses. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { answeringInAnyOrder } from '../support/apis.ts';
import { type Document, specifications, workspaces } from '../support/arbitrary.ts';
import { loadTexts, onlyTree, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { combinations } from '../support/variants.ts';

const harness = await sharedHarness();

/** The document split into files: each object of an unordered collection may be in another one. */
function spread(document: Document, choose: (count: number) => number): Record<string, string> {
  const { octavo, organization, settings, ...collections } = document;
  const parts: Document[] = [
    { octavo, organization, settings },
    { octavo, organization: 'org_acme' },
    { octavo, organization: 'org_acme' },
  ];
  for (const [name, entries] of Object.entries(collections)) {
    const own = Object.entries(entries as object);
    if (own.length === 0) place(parts, choose(3), name, {});
    for (const [key, entry] of own) place(parts, choose(3), name, { [key]: entry });
  }
  const names = ['a.yaml', 'b.yaml', 'c.yaml'];
  return Object.fromEntries(
    parts.map((part) => [names.splice(choose(names.length), 1)[0] ?? 'd.yaml', stringify(part)]),
  );
}

function place(parts: Document[], index: number, name: string, entries: object): void {
  const part = parts[index] ?? {};
  parts[index] = { ...part, [name]: { ...(part[name] as object | undefined), ...entries } };
}

/** JSON of a plan without places, which depend on the files. */
function textOf(plan: OrganizationPlan): string {
  const bare = <T extends object>({ at: _place, ...rest }: T & { at?: unknown }) => rest;
  const steps = plan.steps.map((step) => ({ ...bare(step), fields: step.fields.map(bare) }));
  return JSON.stringify({ ...plan, notes: plan.notes.map(bare), steps });
}

test('produces the same bytes for any order of files and responses', {
  timeout: patience(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      combinations,
      workspaces('org_acme'),
      workspaces('org_acme'),
      fc.infiniteStream(fc.nat(1_000_000)),
      async ({ variants }, first, second, numbers) => {
        const choose = (count: number) => (numbers.next().value ?? 0) % Math.max(1, count);
        harness.reset(variants);
        const before = await treeOf(first);
        await harness.apply(before, await harness.plan(before));
        const shuffling = answeringInAnyOrder(harness.api, choose);
        const tree = await treeOf(second);
        const plain = await planTree(harness.api, tree, { registry });
        const other = onlyTree(await loadTexts({ ...specifications, ...spread(second, choose) }));
        const shuffled = await planTree(shuffling, other, { registry });
        expect(textOf(shuffled.plan)).toBe(textOf(plain.plan));
      },
    ),
    { ...tries(10), endOnFailure: true },
  );
});

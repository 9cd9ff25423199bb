/** With a base, writes change only objects in the base or the manifests, and send only fields that one of them sets. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { removing, workspaces } from '../support/arbitrary.ts';
import { type Harness, planOrNothing, startHarness, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { combinations } from '../support/variants.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

test('changes only objects and fields of the base or the manifests', {
  timeout: patience(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      combinations,
      workspaces('org_acme'),
      workspaces('org_acme'),
      workspaces('org_acme'),
      async ({ variants }, first, second, third) => {
        harness.reset(variants);
        const [base, desired, drifted] = await Promise.all([
          treeOf(removing(first)),
          treeOf(removing(second)),
          treeOf(third),
        ]);
        await harness.apply(base, await harness.plan(base));
        // Other manifests applied over these: objects appear, change and disappear.
        await harness.apply(drifted, await harness.plan(drifted));
        const planned = await planOrNothing(harness, desired, { base });
        if (planned === undefined) return;
        for (const step of planned.steps) {
          const known = desired.nodes.has(step.address) || base.nodes.has(step.address) || isKept(step.phase);
          expect(known, step.id).toBe(true);
          const mentioned = new Set([
            ...mentionedBy(desired, step.address),
            ...mentionedBy(base, step.address),
          ]);
          // A delete reports lost values but does not send them. A replacement keeps unmanaged values.
          const declared = step.fields.filter(({ carried }) => carried !== true);
          const sent = step.phase === 'delete' ? [] : declared;
          for (const { field } of sent) expect([...mentioned], step.id).toContain(field);
          for (const { operation } of step.calls)
            if (step.phase === 'delete') expect(operations[operation].method).toBe('DELETE');
        }
      },
    ),
    { ...tries(10), endOnFailure: true },
  );
});

/** A section that its group does not list is moved out: the sections of a group are exact. */
function isKept(phase: string): boolean {
  return phase === 'detach';
}

function mentionedBy(tree: DesiredTree, address: string): readonly string[] {
  const node = tree.nodes.get(address);
  if (node === undefined) return [];
  // A replaced default remains the default at its address, even if it is not declared.
  const kept = Object.entries(registry.byName(node.kind).fields).filter(
    ([, field]) => field.type === 'reference' && field.within === 'descendants',
  );
  return [...Object.keys(node.fields), ...kept.map(([name]) => name)];
}

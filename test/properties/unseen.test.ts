/** Unseen is not deleted: no run deletes, duplicates or accepts objects because they are hidden from the token. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OrganizationPlan, Phase } from '../../src/plan/plan.ts';
import { hiding } from '../support/apis.ts';
import { workspaces } from '../support/arbitrary.ts';
import { type Harness, type HarnessOptions, planOrNothing, treeOf } from '../support/harness.ts';
import { patience, runs, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { applyTree, settle } from '../support/undo.ts';

const harness = await sharedHarness();

const who = fc.constantFrom('reader' as const, 'admin' as const);
/** Hidden ids, the same in each response. */
const hidden = fc.tuple(fc.integer(), fc.constantFrom(16, 96, 256));

function hide([salt, share]: readonly [number, number], role: 'reader' | 'admin'): void {
  const isHidden = (id: string) =>
    id !== 'org_acme' && (createHash('sha256').update(`${salt} ${id}`).digest()[0] ?? 0) < share;
  harness.through = (api) => hiding(api, isHidden, role);
}

/** Plans with hidden objects; undefined if a refused response ends the run. */
async function blindPlan(
  ...[tree, options]: Parameters<Harness['plan']>
): Promise<OrganizationPlan | undefined> {
  try {
    return await planOrNothing(harness, tree, options ?? {});
  } catch (error) {
    expect(String(error)).toMatch(/ failed with status 40[34]/);
    return undefined;
  }
}

const stepsOf = (plan: OrganizationPlan, ...phases: readonly Phase[]) =>
  plan.steps.filter(({ phase }) => phases.includes(phase)).map(({ id, liveId = '' }) => `${id} ${liveId}`);

test(
  'plans no change and reports no drift for hidden objects after an apply',
  async () => {
    let [checked, blind] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        workspaces('org_acme'),
        who,
        hidden,
        fc.boolean(),
        async (document, role, some, isNamed) => {
          harness.through = undefined;
          harness.reset();
          const tree = await treeOf(document);
          await applyTree(harness, tree);
          await settle(harness);
          const { ids, steps } = await harness.plan(tree, { base: tree });
          if (steps.length > 0) return;
          hide(some, role);
          // A base by name has no ids.
          const known: HarnessOptions =
            isNamed && role === 'reader' ? { base: tree } : { base: tree, recorded: ids };
          for (const options of [known, { ...known, asDrift: true as const }] as const) {
            const plan = await blindPlan(tree, options);
            if (plan === undefined) return;
            checked += 1;
            blind += Number(plan.leftOut?.unseen !== undefined);
            expect(plan.steps.map(({ id }) => id)).toEqual([]);
            expect(plan.refusals).toEqual([]);
            const lost = Object.keys(ids).filter((address) => plan.ids[address] === undefined);
            expect(
              lost.filter((one) => !plan.leftOut?.unseen?.some(({ address }) => address === one)),
            ).toEqual([]);
          }
          harness.through = undefined;
          expect((await harness.plan(tree, { base: tree, recorded: ids })).leftOut?.unseen).toBeUndefined();
        },
      ),
      { ...tries(30), endOnFailure: true },
    );
    expect(checked).toBeGreaterThan(runs(30) / 3);
    expect(blind).toBeGreaterThan(runs(30) / 8);
  },
  patience(60_000),
);

test(
  'changes no more with hidden objects than with all objects visible',
  async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(
        workspaces('org_acme'),
        workspaces('org_acme'),
        who,
        hidden,
        async (older, newer, role, some) => {
          harness.through = undefined;
          harness.reset();
          const free = { settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } } };
          const [base, tree] = await Promise.all([
            treeOf({ ...older, ...free }),
            treeOf({ ...newer, ...free }),
          ]);
          await applyTree(harness, base);
          await settle(harness);
          const { ids: recorded } = await harness.plan(base);
          const options = { base, recorded, skipRefused: true };
          const seeing = await planOrNothing(harness, tree, options);
          if (seeing === undefined) return;
          hide(some, role);
          const plan = await blindPlan(tree, options);
          if (plan === undefined) return;
          checked += 1;
          for (const phase of ['create', 'delete', 'attach', 'detach'] as const) {
            const more = stepsOf(plan, phase).filter((one) => !stepsOf(seeing, phase).includes(one));
            expect({ phase, more }).toEqual({ phase, more: [] });
          }
        },
      ),
      { ...tries(30), endOnFailure: true },
    );
    expect(checked).toBeGreaterThan(runs(30) / 4);
  },
  patience(60_000),
);

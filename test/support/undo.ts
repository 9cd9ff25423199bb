/** Applies and undoes within a harness, as the commands do, with the journal in memory. */

import type { ApplyResult } from '../../src/apply/events.ts';
import type { Api } from '../../src/contract/api.ts';
import { registry } from '../../src/kinds/index.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import type { PlanChoices } from '../../src/plan/scope/choices.ts';
import { asApproved } from '../../src/run/approval/approval.ts';
import { type PlanRun, planAll } from '../../src/run/planning.ts';
import { sendPlan } from '../../src/run/send-plan.ts';
import { planUndo } from '../../src/run/undo/plan-undo.ts';
import { undoHead } from '../../src/run/undo/undo-head.ts';
import type { UndoTrees } from '../../src/run/undo/undo-trees.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { withIds } from '../../src/tree/desired-tree.ts';
import type { Harness } from './harness.ts';

/** A run that can be undone. */
export interface AppliedRun {
  readonly planned: PlanRun;
  readonly result: ApplyResult;
  /** Trees at the start of its journal, with the ids of created objects. */
  readonly trees: readonly UndoTrees[];
}

/** Plans a tree and applies it. */
export async function applyTree(
  harness: Harness,
  tree: DesiredTree,
  { base, ...choices }: PlanChoices & { readonly base?: DesiredTree } = {},
): Promise<AppliedRun> {
  const { api, sleep } = harness;
  await settle(harness);
  const pasts = new Map([[tree.label, { tree: base }]]);
  return applyPlanned(harness, await planAll({ api, registry, sleep }, { trees: [tree], pasts, choices }));
}

/** Applies a plan. `api`: the API for the reads of the journal. */
export async function applyPlanned(
  harness: Harness,
  planned: PlanRun,
  api: Api = harness.api,
): Promise<AppliedRun> {
  const approved = asApproved(planned);
  const trees = await undoHead({ api, registry, sleep: harness.sleep }, approved);
  const sending = { api: harness.through?.(harness.api) ?? harness.api, registry, sleep: harness.sleep };
  const result = await sendPlan(sending, approved, { parallelism: 1 }, async () => undefined);
  const made = new Map(result.organizations.map(({ label, made: ids }) => [label, ids]));
  const inDoubt = new Set(
    result.organizations.flatMap(({ outcomes }) =>
      outcomes.flatMap((outcome) =>
        outcome.type === 'unknown' && outcome.step.phase === 'create' ? [outcome.step.address] : [],
      ),
    ),
  );
  const pinned = trees.map((one) => ({
    ...one,
    inDoubt,
    after: withIds(one.after, made.get(one.label) ?? new Map()),
  }));
  return { planned, result, trees: pinned };
}

/** Plans the undo of a run. */
export async function undoOf(
  harness: Harness,
  { trees }: AppliedRun,
  more: { readonly skipRefused?: boolean } = {},
): Promise<PlanRun> {
  await settle(harness);
  const request = { run: 'r-1', trees, pasts: new Map(), ...more };
  return planUndo({ api: harness.api, registry, sleep: harness.sleep }, request);
}

/** Waits until lagging lists are current again. */
export function settle(harness: Harness): Promise<void> {
  return harness.sleep(1000);
}

/** The only organization of a plan. */
export function onlyPlan({ plan }: PlanRun): OrganizationPlan {
  const [organization] = plan.organizations;
  if (organization === undefined) throw new Error('expected one organization');
  return organization;
}

/** `octavo plan`: shows what would change, and why. Changes nothing. */
import { isEmptyPlan, type Plan, standingRefusals } from '../../plan/plan.ts';
import { renderPlanJson } from '../../report/plan-json.ts';
import { renderPlan } from '../../report/plan-text.ts';
import { loadBases } from '../base.ts';
import { connect } from '../connection.ts';
import { marksOf, planDigest, shortDigest } from '../digest.ts';
import type { Invocation } from '../invocation.ts';
import type { Output } from '../output.ts';
import { writePlanFile } from '../plan-file/write-plan.ts';
import { Planner } from '../planner.ts';
import { cleanCommit } from '../record.ts';
import { readSettings } from '../settings.ts';
import { showNotes } from '../show-notes.ts';
import { loadTrees } from '../workspace.ts';

/** Exit code 0, 1 when something is refused, 2 with --detailed-exitcode when there are changes. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, output } = invocation;
  const settings = readSettings(invocation);
  const trees = await loadTrees(invocation, settings);
  const bases = await loadBases(invocation, settings, trees);
  const { client, close } = await connect(invocation, settings, trees);
  try {
    const planner = new Planner({ api: client, trees, bases, flags, output });
    const plan = await planner.plan();
    showNotes(invocation, plan);
    if (flags.format === 'json') output.result(renderPlanJson(plan, marksOf(plan)));
    else output.result(planText(plan, output));
    if (flags.out !== undefined) {
      const commit = await cleanCommit(invocation, settings);
      writePlanFile(invocation.cwd, flags.out, plan, { trees, bases: planner.bases, flags, commit });
      const next = standingRefusals(plan).length > 0 ? '' : `; apply it with: octavo apply ${flags.out}`;
      output.note(`Saved as ${flags.out}${next}`);
    }
    if (standingRefusals(plan).length > 0) return 1;
    return flags.detailedExitcode === true && !isEmptyPlan(plan) ? 2 : 0;
  } finally {
    await close();
  }
}

/** The plan as text, with its digest where there is something to do. */
export function planText(plan: Plan, output: Pick<Output, 'color' | 'width'>): string {
  const text = renderPlan(plan, output);
  return isEmptyPlan(plan) ? text : `${text}Digest: ${shortDigest(planDigest(plan))}\n`;
}

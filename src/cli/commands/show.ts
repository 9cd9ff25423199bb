/** `octavo show`: shows a saved plan, without asking the service. */
import { standingRefusals } from '../../plan/plan.ts';
import { planViews } from '../../report/views.ts';
import { marksOf } from '../../run/digest.ts';
import { readPlanFile } from '../../run/plan-file/read-plan.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../invocation.ts';
import { showNotes } from '../show-notes.ts';
import { textOptions, viewFor } from '../view-for.ts';

/** Exit code 0, 3 when something in the plan is refused. */
export async function run(invocation: Invocation): Promise<number> {
  const { argument, cwd, flags, output } = invocation;
  if (argument === undefined) {
    throw userError('plan-file', 'which plan?', 'octavo show FILE, where octavo plan --out FILE wrote FILE');
  }
  const { plan } = readPlanFile(cwd, argument);
  const notes = plan.organizations.flatMap((organization) => organization.notes);
  if (notes.length > 0) showNotes(invocation, notes, new Map());
  output.result(viewFor(planViews, flags.format)({ plan, marks: marksOf(plan) }, textOptions(invocation)));
  return standingRefusals(plan).length > 0 ? 3 : 0;
}

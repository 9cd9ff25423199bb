/** `octavo show`: shows a saved plan, without asking the service. */
import { standingRefusals } from '../../plan/plan.ts';
import { marksOf } from '../../run/digest.ts';
import { readPlanFile } from '../../run/plan-file/read-plan.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../invocation.ts';
import { showNotes } from '../show-notes.ts';
import { chosenViews } from '../view-for.ts';
import { planViews } from '../views.ts';

/** Exit code 0, 3 when something in the plan is refused. */
export async function run(invocation: Invocation): Promise<number> {
  const { argument, cwd } = invocation;
  if (argument === undefined) {
    throw userError('plan-file', 'which plan?', 'octavo show FILE, where octavo plan --out FILE wrote FILE');
  }
  const { plan } = readPlanFile(cwd, argument);
  const notes = plan.organizations.flatMap((organization) => organization.notes);
  if (notes.length > 0) showNotes(invocation, notes, new Map());
  const marked = { plan, marks: marksOf(plan) };
  (await chosenViews(invocation, planViews)).all((view, options) => view(marked, options));
  return standingRefusals(plan).length > 0 ? 3 : 0;
}

/** `octavo show`: shows a plan that was saved, without asking the service. */
import { standingRefusals } from '../../plan/plan.ts';
import { renderPlanJson } from '../../report/plan-json.ts';
import { marksOf } from '../digest.ts';
import type { Invocation } from '../invocation.ts';
import { readPlanFile } from '../plan-file/read-plan.ts';
import { showNotes } from '../show-notes.ts';
import { userError } from '../user-error.ts';
import { planText } from './plan.ts';

/** Exit code 0, 1 when something in the plan is refused. */
export async function run(invocation: Invocation): Promise<number> {
  const { argument, cwd, flags, output } = invocation;
  if (argument === undefined) {
    throw userError(
      'plan-file',
      'which plan?',
      'octavo show FILE, for a file that octavo plan --out FILE wrote',
    );
  }
  const { plan } = readPlanFile(cwd, argument);
  showNotes(invocation, plan);
  output.result(flags.format === 'json' ? renderPlanJson(plan, marksOf(plan)) : planText(plan, output));
  return standingRefusals(plan).length > 0 ? 1 : 0;
}

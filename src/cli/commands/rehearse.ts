/** `octavo rehearse`: plans, and applies the plan to a copy of what it read. The service gets the reads of the plan alone. */
import { standingRefusals } from '../../plan/plan.ts';
import { rehearsalViews } from '../../report/views.ts';
import { marksOf } from '../../run/digest.ts';
import { defined } from '../../util/defined.ts';
import type { Invocation } from '../invocation.ts';
import { rehearseWithProgress } from '../rehearsing.ts';
import { withPlan } from '../session.ts';
import { textOptions, viewFor } from '../view-for.ts';

/** Exit code 0 when the plan converges, 1 when it does not, 3 when a change is refused, so that nothing is rehearsed. */
export function run(invocation: Invocation): Promise<number> {
  const { flags, output } = invocation;
  return withPlan(invocation, async (session, planned) => {
    const { plan } = planned;
    const isRefused = standingRefusals(plan).length > 0;
    const rehearsal = isRefused ? undefined : await rehearseWithProgress(invocation, session, planned);
    const view = viewFor(rehearsalViews, flags.format);
    output.result(view({ plan, marks: marksOf(plan), ...defined({ rehearsal }) }, textOptions(invocation)));
    if (rehearsal === undefined) return 3;
    return rehearsal.converges ? 0 : 1;
  });
}

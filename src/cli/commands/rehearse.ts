/** `octavo rehearse`: plans, and applies the plan to a copy of what it read. The service gets the reads of the plan alone. */
import { standingRefusals } from '../../plan/plan.ts';
import { marksOf } from '../../run/digest.ts';
import { defined } from '../../util/defined.ts';
import type { Invocation } from '../invocation.ts';
import { rehearseWithProgress } from '../rehearsing.ts';
import { withPlan } from '../session.ts';
import { chosenViews } from '../view-for.ts';
import { rehearsalViews } from '../views.ts';

/** Exit code 0 when the plan converges, 1 when it does not, 3 when a change is refused, so that nothing is rehearsed. */
export function run(invocation: Invocation): Promise<number> {
  return withPlan(invocation, async (session, planned) => {
    const { plan } = planned;
    const isRefused = standingRefusals(plan).length > 0;
    const rehearsal = isRefused ? undefined : await rehearseWithProgress(invocation, session, planned);
    const marked = { plan, marks: marksOf(plan), ...defined({ rehearsal }) };
    (await chosenViews(invocation, rehearsalViews)).all((view, options) => view(marked, options));
    if (rehearsal === undefined) return 3;
    return rehearsal.converges ? 0 : 1;
  });
}

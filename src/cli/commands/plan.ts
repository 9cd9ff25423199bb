/** `octavo plan`: shows what would change, and why. Changes nothing. */
import { isEmptyPlan, standingRefusals } from '../../plan/plan.ts';
import { planViews } from '../../report/views.ts';
import { marksOf } from '../../run/digest.ts';
import type { Invocation } from '../invocation.ts';
import { choicesOf, openCommandSession } from '../session.ts';
import { readSettings } from '../settings.ts';
import { textOptions, viewFor } from '../view-for.ts';

/** Exit code 0, 3 when something is refused, else 2 with --detailed-exitcode when there are changes. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, output } = invocation;
  const { session, plan: makePlan } = await openCommandSession(invocation, readSettings(invocation));
  try {
    const planned = await makePlan(choicesOf(flags));
    const { plan } = planned;
    const isRefused = standingRefusals(plan).length > 0;
    output.result(viewFor(planViews, flags.format)({ plan, marks: marksOf(plan) }, textOptions(invocation)));
    if (flags.out !== undefined) {
      await session.save(planned, flags.out);
      output.note(`Saved as ${flags.out}${isRefused ? '' : `; apply it with: octavo apply ${flags.out}`}`);
    }
    if (isRefused) return 3;
    return flags.detailedExitcode === true && !isEmptyPlan(plan) ? 2 : 0;
  } finally {
    await session.close();
  }
}

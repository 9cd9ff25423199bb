/** Shows a plan that is not applied now, with its rehearsal where one is asked for. */
import { standingRefusals } from '../plan/plan.ts';
import type { Rehearsal } from '../plan/rehearsal.ts';
import { planViews, rehearsalViews } from '../report/views.ts';
import { marksOf } from '../run/digest.ts';
import type { PlanRun } from '../run/planning.ts';
import type { Session } from '../run/session.ts';
import { defined } from '../util/defined.ts';
import type { Invocation } from './invocation.ts';
import { rehearseWithProgress } from './rehearsing.ts';
import { textOptions, viewFor } from './view-for.ts';

/**
 * A plan is shown before its rehearsal begins, but where both are one document. Refused changes are not rehearsed. `failed`:
 * the rehearsal was, and the plan shall not be saved.
 */
export async function showWithRehearsal(
  invocation: Invocation,
  session: Session,
  planned: PlanRun,
): Promise<'fine' | 'failed'> {
  const { flags, output } = invocation;
  const { plan } = planned;
  const marked = { plan, marks: marksOf(plan) };
  const options = textOptions(invocation);
  const show = (rehearsal?: Rehearsal) =>
    output.result(viewFor(planViews, flags.format)({ ...marked, ...defined({ rehearsal }) }, options));
  const isDocument = flags.format === 'json';
  const isRehearsed = flags.rehearse === true && standingRefusals(plan).length === 0;
  if (!isRehearsed || !isDocument) show();
  if (!isRehearsed) {
    if (flags.rehearse === true) output.note(rehearsalViews.text(marked, options).trimEnd());
    return 'fine';
  }
  const rehearsal = await rehearseWithProgress(invocation, session, planned);
  if (isDocument) show(rehearsal);
  else output.result(`\n${rehearsalViews.text({ ...marked, rehearsal }, options)}`);
  if (rehearsal.converges) return 'fine';
  if (flags.out !== undefined) output.error(`Not saved as ${flags.out}: the rehearsal failed.`);
  return 'failed';
}

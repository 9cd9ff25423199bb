/** Shows a plan that is not applied now, with its rehearsal where one is asked for. */
import { standingRefusals } from '../plan/plan.ts';
import { marksOf } from '../run/digest.ts';
import type { PlanRun } from '../run/planning.ts';
import type { Session } from '../run/session.ts';
import { formatsIn, isOneDocument } from './formats.ts';
import type { Invocation } from './invocation.ts';
import { rehearseWithProgress } from './rehearsing.ts';
import { chosenViews, textOptions } from './view-for.ts';
import { planViews, rehearsalViews } from './views.ts';

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
  const views = await chosenViews(invocation, planViews);
  const isRehearsed = flags.rehearse === true && standingRefusals(plan).length === 0;
  views.write((view, options) => view(marked, options));
  const isDocument = isOneDocument(formatsIn(flags).stdout);
  if (!isRehearsed || !isDocument) views.show((view, options) => view(marked, options));
  if (flags.rehearse !== true) return 'fine';
  const rehearsalText = await rehearsalViews.text();
  const options = textOptions(invocation);
  if (!isRehearsed) {
    output.note(rehearsalText(marked, options).trimEnd());
    return 'fine';
  }
  const rehearsal = await rehearseWithProgress(invocation, session, planned);
  const rehearsed = { ...marked, rehearsal };
  views.write((view, shown) => view(rehearsed, shown));
  if (isDocument) views.show((view, shown) => view(rehearsed, shown));
  else output.result(`\n${rehearsalText(rehearsed, options)}`);
  if (rehearsal.converges) return 'fine';
  if (flags.out !== undefined) output.error(`Not saved as ${flags.out}: the rehearsal failed.`);
  return 'failed';
}

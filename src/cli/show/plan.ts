import { isEmptyPlan, standingRefusals } from '../../plan/plan.ts';
import type { Rehearsal } from '../../plan/rehearsal.ts';
import type { ApprovedPlan } from '../../run/approval/approval.ts';
import { digestsOf } from '../../run/approval/digest.ts';
import type { PlanRun } from '../../run/planning.ts';
import { stageMaker } from '../../run/rehearse/stage.ts';
import type { Session } from '../../run/session.ts';
import type { Invocation } from '../line/command.ts';
import { formatsIn, isOneDocument } from './formats.ts';
import { chosenViews, textOptions } from './view-for.ts';
import { rehearsalViews, runViews } from './views.ts';

/** Exit code 0; 3 if something is refused, 1 if the rehearsal fails, else 2 with --detailed-exitcode if there are changes. */
export async function showAndSave(
  invocation: Invocation,
  session: Session,
  planned: PlanRun,
  save: (file: string) => void | Promise<void>,
): Promise<number> {
  const { out, detailedExitcode } = invocation.flags;
  if ((await showWithRehearsal(invocation, session, planned)) === 'failed') return 1;
  const isRefused = standingRefusals(planned.plan).length > 0;
  if (out !== undefined) {
    await save(out);
    invocation.output.note(`Saved as ${out}${isRefused ? '' : `; apply it with: octavo apply ${out}`}`);
  }
  if (isRefused) return 3;
  return detailedExitcode === true && !isEmptyPlan(planned.plan) ? 2 : 0;
}

/**
 * The plan is shown before its rehearsal begins, unless both are one document. Refused changes are not rehearsed. `failed`: the
 * rehearsal failed, and the plan must not be saved.
 */
async function showWithRehearsal(
  invocation: Invocation,
  session: Session,
  planned: PlanRun,
): Promise<'fine' | 'failed'> {
  const { flags, output } = invocation;
  const { plan } = planned;
  const digested = { plan, digests: digestsOf(plan) };
  const views = await chosenViews(invocation, runViews);
  const isRehearsed = flags.rehearse === true && standingRefusals(plan).length === 0;
  views.write((view, options) => view(digested, options));
  const isDocument = isOneDocument(formatsIn(flags).stdout);
  if (!isRehearsed || !isDocument) views.show((view, options) => view(digested, options));
  if (flags.rehearse !== true) return 'fine';
  const rehearsalText = await rehearsalViews.text();
  const options = textOptions(invocation);
  if (!isRehearsed) {
    output.note(rehearsalText(digested, options).trimEnd());
    return 'fine';
  }
  const rehearsal = await rehearseWithProgress(invocation, session, planned);
  const rehearsed = { ...digested, rehearsal };
  views.write((view, shown) => view(rehearsed, shown));
  if (isDocument) views.show((view, shown) => view(rehearsed, shown));
  else output.report(`\n${rehearsalText(rehearsed, options)}`);
  if (rehearsal.converges) return 'fine';
  if (flags.out !== undefined) output.error(`Not saved as ${flags.out}: the rehearsal failed.`);
  return 'failed';
}

/** Ctrl-C stops the rehearsal. */
export async function rehearseWithProgress(
  { output, interrupt, observe, world }: Invocation,
  session: Session,
  planned: PlanRun | ApprovedPlan,
): Promise<Rehearsal> {
  const { rehearseRun } = await import('../../run/rehearse/cuts.ts');
  const makeStage = stageMaker({
    copy: async (source) => (await import('../../server/reads/copy.ts')).copyService(source),
    clock: world.clock,
    signal: interrupt.signal,
  });
  const run = { makeStage, isInterrupted: () => interrupt.requested };
  const rehearsal = await output.during('Rehearsing the plan', () => rehearseRun(session, planned, run));
  observe({ type: 'rehearsed', rehearsal });
  return rehearsal;
}

/** `octavo apply`: plans, asks, and makes exactly the requests that were shown; or does so for a saved plan. */
import { isComplete } from '../../apply/events.ts';
import { type Plan, standingRefusals } from '../../plan/plan.ts';
import { applyViews } from '../../report/views.ts';
import { type ApprovedPlan, requireApproved, requireExpected } from '../../run/approval.ts';
import { marksOf, planDigest } from '../../run/digest.ts';
import { readPlanFile } from '../../run/plan-file/read-plan.ts';
import type { PlanRun } from '../../run/planning.ts';
import type { Recording } from '../../run/record/record.ts';
import { openSavedPlan, type RecordRequest, type Session } from '../../run/session.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { userError } from '../../util/user-error.ts';
import { type ApplyWork, applyWithProgress } from '../apply-progress.ts';
import { askForApproval } from '../approval.ts';
import { manifests, planning } from '../command-table.ts';
import { type Flags, flagName } from '../flags.ts';
import type { Invocation } from '../invocation.ts';
import { choicesOf, openCommandSession, sessionOptions } from '../session.ts';
import { type RunSettings, readSettings } from '../settings.ts';
import { textOptions, viewFor } from '../view-for.ts';

/** Exit code 0 when everything was done, 1 when something failed or was refused, 130 when interrupted. */
export async function run(invocation: Invocation): Promise<number> {
  const settings = readSettings(invocation);
  return invocation.argument === undefined
    ? applyManifests(invocation, settings)
    : applySaved(invocation, settings, invocation.argument);
}

async function applyManifests(invocation: Invocation, settings: RunSettings): Promise<number> {
  const { flags, output, cwd } = invocation;
  const { parallelism } = settings;
  const reviewed = flags.approved === undefined ? undefined : readPlanFile(cwd, flags.approved).plan;
  const { session, plan: makePlan } = await openCommandSession(invocation, settings);
  try {
    const choices = choicesOf(flags);
    const otherFiles = flags.approved === undefined ? [] : [flags.approved];
    const recording = await recordingFor(invocation, session, { choices, otherFiles });
    const planned = await makePlan(choices);
    const { plan } = planned;
    showPlan(invocation, plan);
    if (flags.expect !== undefined) requireExpected(plan, flags.expect);
    if (reviewed !== undefined) requireApproved(plan, reviewed, session.source.registry);
    refuseRefused(plan);
    const approved = await approve(invocation, session, planned);
    if (approved === undefined) {
      output.error('Not applied.');
      return 1;
    }
    return await applyAndShow(invocation, { session, approved, parallelism, recording });
  } finally {
    await session.close();
  }
}

/** A saved plan was approved when it was handed over; the live state must still be the one that it was made for. */
async function applySaved(invocation: Invocation, settings: RunSettings, file: string): Promise<number> {
  const { flags, cwd, output } = invocation;
  const { parallelism } = settings;
  refuseFlags(flags);
  const saved = readPlanFile(cwd, file);
  const opened = await openSavedPlan(saved, sessionOptions(invocation, settings));
  const { session, planned, checkedOut } = opened;
  try {
    const { choices, commit } = planned.inputs;
    if (checkedOut === 'none')
      output.note('No manifests are checked out here: applying the plan as it was saved.');
    // The same manifests may be in another commit by now, as after a squash.
    const whose = checkedOut === 'same' ? { otherFiles: [file] } : { saved: { commit } };
    const recording = await recordingFor(invocation, session, { choices, ...whose });
    showPlan(invocation, planned.plan);
    refuseRefused(planned.plan);
    const approved = await recheck(invocation, session, planned);
    return await applyAndShow(invocation, { session, approved, parallelism, recording });
  } finally {
    await session.close();
  }
}

async function recordingFor(
  { flags, world: { clock } }: Invocation,
  session: Session,
  request: Omit<RecordRequest, 'run'>,
): Promise<Recording | undefined> {
  const { record, pushRecord } = flags;
  if (record !== true && pushRecord === undefined) return undefined;
  const suffix = Math.floor(clock.random() * 0x10000)
    .toString(16)
    .padStart(4, '0');
  const run = { id: `r-${clock.now().toString(36)}-${suffix}`, now: () => new Date(clock.now()) };
  return session.prepareRecording({ ...request, run, ...defined({ pushTo: pushRecord }) });
}

function showPlan(invocation: Invocation, plan: Plan): void {
  const view = viewFor(applyViews, invocation.flags.format).plan;
  if (view !== undefined)
    invocation.output.result(view({ plan, marks: marksOf(plan) }, textOptions(invocation)));
}

async function applyAndShow(
  invocation: Invocation,
  work: ApplyWork & { readonly recording: Recording | undefined },
): Promise<number> {
  const { output, flags, interrupt } = invocation;
  const { plan } = work.approved;
  const result = await applyWithProgress(invocation, work);
  const view = viewFor(applyViews, flags.format).result;
  output.result(view({ plan, digest: planDigest(plan), result }, output));
  if (result.interrupted) return interrupt.exitCode;
  if (!isComplete(result)) return 1;
  const made = new Map(result.organizations.map((organization) => [organization.label, organization.made]));
  const recorded = await work.recording?.record({ plan, made });
  if (recorded === 'partial') output.note('Not recorded: refused changes were left out.');
  return 0;
}

/** A saved plan holds these choices already. */
function refuseFlags(flags: Flags): void {
  const settled = [...manifests, ...planning, 'expect', 'approved'] as const;
  const given = settled.find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  throw userError(
    'plan-file',
    `--${flagName(given)} cannot change a saved plan`,
    'leave it out, or plan again with it',
  );
}

/** Refuses before anybody is asked. */
function refuseRefused(plan: Plan): void {
  const refused = standingRefusals(plan);
  if (refused.length === 0) return;
  const addresses = [...new Set(refused.map(({ address }) => address))].join(', ');
  const changes = refused.length === 1 ? '1 change is' : `${countOf(refused.length, 'change')} are`;
  throw userError(
    'refused',
    `nothing was applied: ${changes} refused (${addresses})`,
    'each says in the plan how to allow it; pass --skip-refused to apply the rest',
  );
}

/** Asks on a terminal, and looks again when the answer comes. Undefined where the answer is no. */
async function approve(
  invocation: Invocation,
  session: Session,
  planned: PlanRun,
): Promise<ApprovedPlan | undefined> {
  const { flags, interrupt, world } = invocation;
  const isNothing = planned.plan.organizations.every(({ steps }) => steps.length === 0);
  if (isNothing || flags.autoApprove === true)
    return { ...planned, today: planned.plan, satisfied: new Map(), elsewhere: new Map() };
  if (viewFor(applyViews, flags.format).plan === undefined) {
    throw userError(
      'not-approved',
      'nobody can approve a plan that is not shown',
      `add --auto-approve to --format ${flags.format}`,
    );
  }
  if (world.stdin.isTTY !== true || world.stdout.isTTY !== true) {
    throw userError(
      'not-approved',
      'no terminal to ask for approval on',
      'review the plan, then run apply with --auto-approve',
    );
  }
  return (await askForApproval(world, interrupt)) ? recheck(invocation, session, planned) : undefined;
}

/** Looks at the live state again, which takes a while as well. */
async function recheck({ output }: Invocation, session: Session, planned: PlanRun): Promise<ApprovedPlan> {
  const progress = await output.progress('Reading the live state again');
  try {
    return await session.recheckApproval(planned);
  } finally {
    progress.stop();
  }
}

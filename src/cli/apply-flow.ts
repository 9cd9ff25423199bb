/**
 * What every command that changes the live workspace does, in one order: lock, plan, show, refuse, approve, apply, show
 * the result, record, unlock. Commands differ only in where their plan comes from.
 */
import { type ApplyEvent, isComplete } from '../apply/events.ts';
import { type Plan, standingRefusals } from '../plan/plan.ts';
import type { RunNotes } from '../report/apply-closing.ts';
import type { ApplyView } from '../report/apply-view.ts';
import { renderDiagnostics } from '../report/diagnostics.ts';
import { type ApprovedPlan, asApproved } from '../run/approval.ts';
import { marksOf, parseExpectation, planDigest } from '../run/digest.ts';
import type { PlanRun } from '../run/planning.ts';
import type { Recording } from '../run/record/record.ts';
import type { RecordRequest, Session } from '../run/session.ts';
import { countOf } from '../util/count.ts';
import { defined } from '../util/defined.ts';
import { userError } from '../util/user-error.ts';
import { applyWithProgress } from './apply-progress.ts';
import { askForApproval } from './approval.ts';
import { serviceName } from './connection.ts';
import { formatsIn, isOneDocument } from './formats.ts';
import type { Invocation } from './invocation.ts';
import { journalFor } from './journaling.ts';
import { type LockOrganizations, RunLocks } from './locking.ts';
import { rehearseWithProgress } from './rehearsing.ts';
import type { RunSettings } from './settings.ts';
import { type ChosenViews, chosenViews, textOptions } from './view-for.ts';
import { applyViews, rehearsalViews } from './views.ts';

/** What is applied, and how. */
export interface ApplyFlow {
  readonly settings: RunSettings;
  /** Opens what is applied. Calls `lock` before it reads anything that another apply may change. */
  readonly open: (lock: LockOrganizations) => Promise<OpenedApply>;
}

/** What is applied, once its organizations are locked. */
export interface OpenedApply {
  /** Closed at the end. */
  readonly session: Session;
  /** Makes the plan, or opens the saved one. */
  readonly plan: () => Promise<PlanRun>;
  /** Throws for a plan that was shown and may not be applied. */
  readonly check?: (plan: Plan) => void;
  /** True for a plan that was approved when it was handed over: nobody is asked, the live state is read again. */
  readonly isApproved: boolean;
  /** What to record once everything is applied. */
  readonly record: Omit<RecordRequest, 'run'>;
}

/** Exit code 0 when everything was done, 1 when something failed or was refused, that of the signal when interrupted. */
export async function runApplyFlow(invocation: Invocation, { settings, open }: ApplyFlow): Promise<number> {
  const locks = new RunLocks(invocation, settings);
  const forget = invocation.interrupt.onExit(() => locks.releaseNow());
  try {
    const opened = await open(locks.take);
    try {
      return await runLocked(invocation, { ...opened, settings, locks });
    } finally {
      await opened.session.close();
    }
  } finally {
    await locks.release();
    forget();
  }
}

/** What is applied, under its locks. */
interface LockedApply extends OpenedApply {
  readonly settings: RunSettings;
  readonly locks: RunLocks;
}

/** How the plan and its result are shown. */
type ApplyViews = ChosenViews<ApplyView>;

async function runLocked(invocation: Invocation, flow: LockedApply): Promise<number> {
  const { session, plan: makePlan, check, record, locks } = flow;
  const recording = await recordingFor(invocation, session, record);
  const planned = await makePlan();
  const { plan } = planned;
  invocation.observe({ type: 'planned', plan, digest: planDigest(plan) });
  const views = await chosenViews(invocation, applyViews);
  showPlan(views, plan);
  check?.(plan);
  refuseRefused(plan);
  if (!flow.isApproved) await rehearseFirst(invocation, session, planned);
  const approved = await approve(invocation, { ...flow, views }, planned);
  if (approved === undefined) {
    invocation.observe({ type: 'declined' });
    invocation.output.error('Not applied.');
    return 1;
  }
  // What a saved plan would meet is known only once the live state was read.
  if (flow.isApproved) await rehearseFirst(invocation, session, approved);
  locks.requireHeld();
  return await applyAndShow(invocation, { ...flow, views }, { approved, recording });
}

async function recordingFor(
  { flags: { record, pushRecord, offline }, runId, world: { clock } }: Invocation,
  session: Session,
  request: Omit<RecordRequest, 'run'>,
): Promise<Recording | undefined> {
  if (record !== true && pushRecord === undefined) return undefined;
  const run = { id: runId, now: () => new Date(clock.now()) };
  return session.prepareRecording({ ...request, run, ...defined({ pushTo: pushRecord, offline }) });
}

function showPlan(views: ApplyViews, plan: Plan): void {
  const marked = { plan, marks: marksOf(plan) };
  // Files show the plan where nothing is applied after all.
  views.all((view, options) => view.plan?.(marked, options));
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

/** Rehearses where that is asked for. Throws a DiagnosticError where the rehearsal fails. */
async function rehearseFirst(
  invocation: Invocation,
  session: Session,
  planned: PlanRun | ApprovedPlan,
): Promise<void> {
  const { flags, output } = invocation;
  const plan = 'today' in planned ? planned.today : planned.plan;
  if (flags.rehearse !== true || plan.organizations.every(({ steps }) => steps.length === 0)) return;
  const rehearsal = await rehearseWithProgress(invocation, session, planned);
  const view = await rehearsalViews.text();
  const report = view({ plan, marks: marksOf(plan), rehearsal }, textOptions(invocation));
  // A document has one result, that of the apply.
  if (isOneDocument(formatsIn(flags).stdout)) output.note(report.trimEnd());
  else output.result(`\n${report}`);
  if (rehearsal.converges) return;
  throw userError(
    'rehearsal',
    'nothing was applied: the rehearsal of the plan failed',
    'fix what it shows and plan again, or run without --rehearse',
  );
}

/** Asks on a terminal, and looks again when the answer comes. Undefined where the answer is no. */
async function approve(
  invocation: Invocation,
  { session, isApproved, views }: OpenedApply & { readonly views: ApplyViews },
  planned: PlanRun,
): Promise<ApprovedPlan | undefined> {
  const { flags, interrupt, world } = invocation;
  if (isApproved) return recheck(invocation, session, planned);
  const isNothing = planned.plan.organizations.every(({ steps }) => steps.length === 0);
  if (isNothing || flags.autoApprove === true) return asApproved(planned);
  if (views.stdout.plan === undefined) {
    throw userError(
      'not-approved',
      'nobody can approve a plan that is not shown',
      `add --auto-approve to --format ${formatsIn(flags).stdout ?? 'text'}`,
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
async function recheck(
  { output, observe }: Invocation,
  session: Session,
  planned: PlanRun,
): Promise<ApprovedPlan> {
  const progress = await output.progress('Reading the live state again');
  observe({ type: 'phaseStarted', phase: 'recheck' });
  try {
    return await session.recheckApproval(planned);
  } finally {
    observe({ type: 'phaseEnded', phase: 'recheck' });
    progress.stop();
  }
}

async function applyAndShow(
  invocation: Invocation,
  { session, settings, locks, views }: LockedApply & { readonly views: ApplyViews },
  { approved, recording }: { readonly approved: ApprovedPlan; readonly recording: Recording | undefined },
): Promise<number> {
  const { output, interrupt, world } = invocation;
  const { plan } = approved;
  const events: ApplyEvent[] = [];
  const times: string[] = [];
  const follow = (event: ApplyEvent) => {
    const time = new Date(world.clock.now()).toISOString();
    views.show((view) => view.event?.(event, time));
    if (!views.hasFiles) return;
    events.push(event);
    times.push(time);
  };
  const result = await applyWithProgress(invocation, {
    session,
    approved,
    parallelism: settings.parallelism,
    journal: journalFor(invocation, settings),
    follow,
    locked: locks.isHeld ? world.clock : undefined,
    stopReason: () => {
      const loss = locks.loss();
      return loss === undefined ? undefined : { type: 'lock', message: loss.message };
    },
  });
  const applied = { plan, digest: planDigest(plan), result, notes: runNotes(invocation, settings) };
  const marked = { plan, marks: marksOf(plan) };
  views.write(function* (view, options) {
    if (view.plan !== undefined) yield* view.plan(marked, options);
    for (const [at, event] of events.entries()) yield view.event?.(event, times[at] ?? '') ?? '';
    yield view.result(applied, options);
  });
  views.show((view, options) => view.result(applied, options));
  const loss = locks.loss();
  if (loss !== undefined) {
    // Another run may be under way: what it records is newer than this.
    const { errorColor: color, errorWidth: width } = output;
    output.error(renderDiagnostics(loss.diagnostics, loss.sources, { color, width }).trimEnd());
    return 1;
  }
  if (result.interrupted) return interrupt.exitCode;
  if (!isComplete(result)) return 1;
  const made = new Map(result.organizations.map((organization) => [organization.label, organization.made]));
  const recorded = await recording?.record({ plan, made });
  if (recorded !== undefined) output.note(recordedText(recorded, invocation.flags.pushRecord));
  return 0;
}

function recordedText(
  recorded: { readonly commit: string } | { readonly notRecorded: string },
  remote: string | undefined,
): string {
  if ('notRecorded' in recorded) return `Not recorded: ${recorded.notRecorded}.`;
  const pushed = remote === undefined ? '' : ` The record was pushed to ${remote}.`;
  return `Recorded commit ${recorded.commit.slice(0, 7)} as applied.${pushed}`;
}

/** For the summary of an apply. */
function runNotes({ args, flags, runId, cwd }: Invocation, settings: RunSettings): RunNotes {
  const undo = serviceName(settings, cwd) === undefined ? undefined : `octavo undo ${runId}`;
  // A digest names the whole plan: what is left of it has another one.
  const isWhole = flags.expect !== undefined && parseExpectation(flags.expect)?.parts === undefined;
  if (isWhole)
    return { undo, next: 'Plan and review what is left to continue: --expect named the whole plan' };
  return { undo, next: `Continue with: octavo ${args.map(quoted).join(' ')}` };
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

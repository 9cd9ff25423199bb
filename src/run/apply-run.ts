/** The order of a run that changes the live workspace. Loads the code of later stages on demand. */
import { isComplete } from '../apply/events.ts';
import { endedText } from '../past/journal/journal-writer.ts';
import { endDied } from '../past/journal/unfinished.ts';
import type { Applied, Recorded, Recording, RecordingRequest, Signature } from '../past/record/record.ts';
import { type Plan, standingRefusals } from '../plan/plan.ts';
import type { PlanChoices } from '../plan/scope/choices.ts';
import type { ReviewedPlan } from '../review/reviewed-plan.ts';
import { countOf } from '../util/count.ts';
import { defined } from '../util/defined.ts';
import { type DiagnosticError, withSources } from '../util/diagnostic.ts';
import { userError } from '../util/user-error.ts';
import {
  type Approval,
  type ApprovedPlan,
  asApproved,
  driftSince,
  requireApproved,
} from './approval/approval.ts';
import { planDigest } from './approval/digest.ts';
import { planRun } from './plan-run.ts';
import type { PlanRun } from './planning.ts';
import type { JournalSettings } from './run-journal.ts';
import type { SendOptions } from './send-plan.ts';
import { liveSourceOf, type Session } from './session.ts';

/** The lock of a run. `isHeld`: false also if nothing had to be locked. */
export interface RunLock {
  readonly isHeld: boolean;
  readonly now: () => number;
  /** The reason if the lock is no longer held. */
  readonly loss: () => DiagnosticError | undefined;
}

/** `plan`: a saved one. */
export type RecordRequest = Omit<RecordingRequest, 'workspace' | 'baseCommits'> & {
  readonly plan?: Plan | undefined;
};

export interface ApplyRequest extends Omit<SendOptions, 'stopReason' | 'locked'> {
  readonly plan: () => PlanRun | Promise<PlanRun>;
  /** Called before the plan is checked. */
  readonly onPlanned?: ((plan: ReviewedPlan) => void | Promise<void>) | undefined;
  /** The plan must not do more. Default: anything. */
  readonly approval?: Approval | undefined;
  /** Returns undefined to decline. Default: approves the plan as it was made. */
  readonly approve?: ((planned: PlanRun) => Promise<ApprovedPlan | undefined>) | undefined;
  readonly onApproved?: ((approved: ApprovedPlan) => void | Promise<void>) | undefined;
  /** Called before the run is recorded. */
  readonly onApplied?: ((applied: Applied) => void) | undefined;
  readonly lock?: RunLock | undefined;
  /** Default: not recorded. */
  readonly record?: RecordRequest | undefined;
  readonly signed?: ((plan: Plan) => Signature) | undefined;
}

export interface AppliedRun extends Applied {
  readonly type: 'applied';
  /** Another run may be in progress and may have newer records: this one is not recorded. */
  readonly loss?: DiagnosticError;
  /** Absent if nothing was to be recorded, or the run is incomplete. */
  readonly recorded?: Recorded & Pick<Recording, 'pushTo'>;
  /** Why the journal is not kept in git, if the run was to be recorded. */
  readonly unkept?: string;
}

/**
 * Each run that changes the live workspace follows this order: plan, show, refuse, approve, apply, show the result, record. Runs differ
 * in the source of their plan. A lock is taken by the caller, before anything is read that another run may change.
 * @throws DiagnosticError, before any request, if the plan is refused or cannot be recorded.
 */
export async function applyRun(
  session: Session,
  request: ApplyRequest,
): Promise<AppliedRun | { readonly type: 'declined' }> {
  const { record, lock, journal: settings, approval, approve = asApproved } = request;
  const recording = record && (await recordingOf(session, record));
  const planned = await request.plan();
  await request.onPlanned?.(planned.plan);
  if (approval !== undefined) requireApproved(planned.plan, approval, session.source.registry);
  refuseRefused(planned.plan);
  const approved = await approve(planned);
  if (approved === undefined) return { type: 'declined' };
  const lost = lock?.loss();
  if (lost !== undefined) throw lost;
  await request.onApproved?.(approved);
  const { plan } = approved;
  if (settings?.store !== undefined) endDied(settings.store, session.died ?? [], settings.now);
  const options: SendOptions = {
    ...request,
    journal: settings && {
      ...settings,
      ...(recording && { keep: () => recording.keepJournal(plan, journalText(settings)) }),
    },
    locked: lock?.isHeld === true ? lock : undefined,
    stopReason: () => {
      const loss = lock?.loss();
      return loss && { type: 'lock', message: loss.message };
    },
  };
  const { sendPlan } = await import('./send-plan.ts');
  const send = sendPlan(await liveSourceOf(session), approved, options, () => commitOf(session, approved));
  const result = await withSources(session.workspace.sources, send);
  const applied: Applied = { plan, digest: planDigest(plan), result, signed: request.signed?.(plan) };
  let ended: Partial<AppliedRun> = {};
  try {
    request.onApplied?.(applied);
    const loss = lock?.loss();
    const isRecorded = loss === undefined && !result.interrupted && isComplete(result);
    const recorded = isRecorded ? await recording?.record(applied) : undefined;
    ended = defined({ loss, recorded: recorded && { ...recorded, pushTo: recording?.pushTo } });
  } finally {
    const text = journalText(settings);
    const unkept =
      settings === undefined || text === ''
        ? undefined
        : await recording?.keepJournal(plan, endedText(text, settings.now()));
    ended = { ...ended, ...defined({ unkept }) };
  }
  return { ...applied, type: 'applied', ...ended };
}

/** Plans what was approved: drift since then is left alone. */
export async function planWithin(
  session: Session,
  choices: PlanChoices,
  approval: Approval | undefined,
): Promise<PlanRun> {
  const planned = await planRun(session, choices);
  const left = approval && driftSince(planned.plan, approval, session.source.registry);
  return left === undefined || left.size === 0 ? planned : planRun(session, { ...choices, left });
}

/** A journal that was not begun, or cannot be read, is not kept. */
function journalText(settings: JournalSettings | undefined): string {
  try {
    return settings?.store?.text(settings.run) ?? '';
  } catch {
    return '';
  }
}

function refuseRefused(plan: Plan): void {
  const refused = standingRefusals(plan);
  if (refused.length === 0) return;
  const addresses = [...new Set(refused.map(({ address }) => address))].join(', ');
  const changes = refused.length === 1 ? '1 change is' : `${countOf(refused.length, 'change')} are`;
  throw userError(
    'refused',
    `nothing was applied: ${changes} refused (${addresses})`,
    'the plan shows how to allow each; pass --skip-refused to apply the rest',
  );
}

/** @throws DiagnosticError if recording is not possible. */
async function recordingOf(
  { source, workspace, about }: Session,
  { plan, ...request }: RecordRequest,
): Promise<Recording> {
  const saved = plan?.organizations.flatMap(({ label, base }) =>
    base?.commit === undefined ? [] : [[label, base.commit] as const],
  );
  const baseCommits = saved === undefined ? (about?.commits ?? new Map()) : new Map(saved);
  const { prepareRecording } = await import('../past/record/record.ts');
  return prepareRecording(source, { ...request, workspace, baseCommits });
}

/** Undefined for a plan that undoes a run. */
async function commitOf({ source, workspace }: Session, { inputs }: PlanRun): Promise<string | undefined> {
  if (workspace.read === undefined) return inputs.commit;
  const { cleanCommit } = await import('../past/record/record.ts');
  return cleanCommit(source, workspace.read);
}

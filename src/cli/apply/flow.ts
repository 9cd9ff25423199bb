/**
 * Every command that changes the live workspace follows one order: lock, plan, show, refuse, approve, apply, show the result,
 * record, unlock. Commands differ only in the source of their plan.
 */

import { isComplete } from '../../apply/events.ts';
import type { JournalStore } from '../../past/journal/journal-folder.ts';
import { endedText } from '../../past/journal/journal-writer.ts';
import { describeMachine } from '../../past/lock/machine.ts';
import type { Recording, Signature } from '../../past/record/record.ts';
import { isEmptyPlan, type Plan, standingRefusals } from '../../plan/plan.ts';
import type { RunNotes } from '../../report/apply/closing.ts';
import type { ApplyView } from '../../report/apply/text.ts';
import { type ApprovedPlan, asApproved } from '../../run/approval/approval.ts';
import { digestsOf, planDigest } from '../../run/approval/digest.ts';
import type { PlanRun } from '../../run/planning.ts';
import type { RecordRequest, Session } from '../../run/session.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import { isOfCheckout, serviceName } from '../service/connection.ts';
import { journalFor } from '../service/session.ts';
import type { RunSettings } from '../service/settings.ts';
import { requireUntracked } from '../service/untracked.ts';
import { formatsIn, isOneDocument } from '../show/formats.ts';
import { diagnosticsText } from '../show/notes.ts';
import { rehearseWithProgress } from '../show/plan.ts';
import { type ChosenViews, chosenViews, textOptions } from '../show/view-for.ts';
import { applyViews, rehearsalViews } from '../show/views.ts';
import { ask } from '../world/ask.ts';
import { actorOf } from '../world/ci-event.ts';
import { variableIn } from '../world/environment.ts';
import { type LockOrganizations, RunLocks } from './locking.ts';
import { applyWithProgress } from './track.ts';

export interface OpenedApply {
  readonly session: Session;
  readonly plan: () => Promise<PlanRun>;
  readonly check?: (plan: Plan) => void;
  /** The plan named by `--approved`, which `check` requires: the whole plan, or its remaining changes. */
  readonly expected?: { readonly digest: string; readonly isWhole: boolean };
  /** The plan was approved before this run: do not ask, and read the live state again. */
  readonly isApproved: boolean;
  readonly record: Omit<RecordRequest, 'run' | 'to'>;
}

/**
 * Exit code 0 if everything was done, 1 if something failed or was refused, the signal's code if interrupted. `open` calls
 * `lock` before it reads anything that another apply may change.
 */
export async function runApplyFlow(
  invocation: Invocation,
  settings: RunSettings,
  open: (lock: LockOrganizations) => Promise<OpenedApply>,
): Promise<number> {
  await requireUntracked(invocation, 'journal');
  const locks = new RunLocks(invocation, settings);
  try {
    const opened = await open(locks.take);
    try {
      const store = await invocation.world.journals(invocation.cwd);
      return await runLocked(invocation, { ...opened, settings, locks, store });
    } finally {
      await opened.session.close();
    }
  } finally {
    await locks.release();
  }
}

interface LockedApply extends OpenedApply {
  readonly settings: RunSettings;
  readonly locks: RunLocks;
  readonly store: JournalStore;
}

type ApplyViews = ChosenViews<ApplyView | undefined>;

async function runLocked(invocation: Invocation, flow: LockedApply): Promise<number> {
  const { session, plan: makePlan, check, record, locks } = flow;
  refuseToRecord(invocation, flow.settings);
  const { runId, world } = invocation;
  const { record: to, offline } = invocation.flags;
  const run = { id: runId, now: () => new Date(world.clock.now()) };
  const recording =
    to === undefined
      ? undefined
      : await session.prepareRecording({ ...record, run, to, ...defined({ offline }) });
  const planned = await makePlan();
  const { plan } = planned;
  invocation.observe({ type: 'planned', plan });
  const views = await chosenViews<ApplyView | undefined>(invocation, applyViews);
  const digested = { plan, digests: digestsOf(plan) };
  // Files show the plan even if it is not applied.
  views.write((view, options) => view.plan?.(digested, options));
  if (!isSilent(invocation, flow, plan)) views.show((view, options) => view.plan?.(digested, options));
  check?.(plan);
  refuseRefused(plan);
  if (!flow.isApproved) await rehearseFirst(invocation, session, planned);
  const approved = await approve(invocation, { ...flow, views }, planned);
  if (approved === undefined) {
    invocation.observe({ type: 'declined' });
    invocation.output.error('Not applied.');
    return 1;
  }
  // A saved plan can only be rehearsed after the live state was read.
  if (flow.isApproved) await rehearseFirst(invocation, session, approved);
  locks.requireHeld();
  return await applyAndShow(invocation, { ...flow, views }, { approved, recording });
}

/** Hides the plan with --quiet, unless someone has to read it or the result is "no changes". */
function isSilent({ flags }: Invocation, { isApproved }: OpenedApply, plan: Plan): boolean {
  const isDecided = (isApproved || flags.autoApprove === true) && standingRefusals(plan).length === 0;
  return (
    flags.quiet === true && isDecided && !isEmptyPlan(plan) && (formatsIn(flags).stdout ?? 'text') === 'text'
  );
}

/** Refuses to record if the checkout selects an embedded service while a token for another service is set. */
function refuseToRecord({ flags, env }: Invocation, settings: RunSettings): void {
  const token = flags.tokenFile ?? variableIn(env, 'OCTAVO_TOKEN') ?? variableIn(env, 'OCTAVO_TOKEN_FILE');
  if (flags.record === undefined || token === undefined || !isOfCheckout(settings)) return;
  throw userError(
    'record',
    `${settings.baseUrlFile} names the embedded service ${JSON.stringify(settings.baseUrl)}, and a token for another one is set: nothing is recorded`,
    'set OCTAVO_BASE_URL to the service that you mean, or unset the token',
  );
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

async function rehearseFirst(
  invocation: Invocation,
  session: Session,
  planned: PlanRun | ApprovedPlan,
): Promise<void> {
  const { flags, output } = invocation;
  const plan = 'today' in planned ? planned.today : planned.plan;
  if (flags.rehearse !== true || plan.organizations.every(({ steps }) => steps.length === 0)) return;
  const rehearsal = await rehearseWithProgress(invocation, session, planned);
  const rehearsalText = await rehearsalViews.text();
  const report = rehearsalText({ plan, digests: digestsOf(plan), rehearsal }, textOptions(invocation));
  // A document has one result: that of the apply.
  if (isOneDocument(formatsIn(flags).stdout)) output.note(report.trimEnd());
  else output.report(`\n${report}`);
  if (rehearsal.converges) return;
  throw userError(
    'rehearsal',
    'nothing was applied: the rehearsal of the plan failed',
    'fix what it shows and plan again, or run without --rehearse',
  );
}

/** Asks on a terminal and reads the live state again after the answer. Undefined if the user declines. */
async function approve(
  invocation: Invocation,
  { session, isApproved, expected, views }: OpenedApply & { readonly views: ApplyViews },
  planned: PlanRun,
): Promise<ApprovedPlan | undefined> {
  const { flags, interrupt, output, world } = invocation;
  const recheck = () =>
    output.during('Reading the live state again', () => session.recheckApproval(planned, world.clock.now()));
  if (isApproved || expected !== undefined) return recheck();
  const isNothing = planned.plan.organizations.every(({ steps }) => steps.length === 0);
  if (isNothing || flags.autoApprove === true) return asApproved(planned);
  if (views.stdout?.plan === undefined) {
    throw userError(
      'not-approved',
      'a plan that is not shown cannot be approved',
      `add --auto-approve to --format ${formatsIn(flags).stdout ?? 'text'}`,
    );
  }
  if (world.stdin.isTTY !== true || world.stdout.isTTY !== true) {
    throw userError(
      'not-approved',
      'no terminal to ask for approval on',
      `review the plan, then run octavo ${invocation.commandName} again with --auto-approve`,
    );
  }
  const isConfirmed = await ask(world, interrupt, 'Apply these changes? Only "yes" is accepted: ');
  return isConfirmed ? recheck() : undefined;
}

async function applyAndShow(
  invocation: Invocation,
  { views, ...flow }: LockedApply & { readonly views: ApplyViews },
  { approved, recording }: { readonly approved: ApprovedPlan; readonly recording: Recording | undefined },
): Promise<number> {
  const { output, interrupt, world } = invocation;
  const { session, settings, locks, store } = flow;
  const { plan } = approved;
  const journal = journalFor(invocation, settings, store);
  // A journal that was not begun, or cannot be read, is not kept.
  const textOf = () => {
    try {
      return journal.store?.text(journal.run) ?? '';
    } catch {
      return '';
    }
  };
  const lines: string[] = [];
  const print = (line: string) => {
    views.show((view) => view.line?.(line));
    lines.push(line);
  };
  const isPrinted = views.chosen.some((view) => view?.line !== undefined);
  const result = await applyWithProgress(invocation, {
    session,
    approved,
    parallelism: settings.parallelism,
    journal: {
      ...journal,
      keep: recording && (() => recording.keepJournal(plan, textOf())),
      print: isPrinted ? print : undefined,
    },
    locked: locks.isHeld ? world.clock : undefined,
    stopReason: () => {
      const loss = locks.loss();
      return loss === undefined ? undefined : { type: 'lock', message: loss.message };
    },
  });
  if (result.unjournaled !== undefined)
    output.note(
      `warning[journal]: the journal of ${invocation.runId} could not be completed, so octavo undo may not know its last requests: ${result.unjournaled}`,
    );
  const applied = { plan, digest: planDigest(plan), result, notes: runNotes(invocation, settings, flow) };
  const digested = { plan, digests: digestsOf(plan) };
  try {
    views.show((view, options) => view.result?.(applied, options));
    const loss = locks.loss();
    if (loss !== undefined) {
      // Another run may be in progress and may have newer records.
      output.error(diagnosticsText(output, loss.diagnostics, loss.sources));
      return 1;
    }
    if (result.interrupted) return interrupt.exitCode;
    if (!isComplete(result)) return 1;
    const signed = signatureOf(invocation, flow, plan);
    const recorded = await recording?.record({ ...applied, signed });
    if (recorded === undefined) return 0;
    const pushed = recording?.pushTo === undefined ? '' : ` The record was pushed to ${recording.pushTo}.`;
    output.note(
      'notRecorded' in recorded
        ? `Not recorded: ${recorded.notRecorded}.`
        : `Recorded commit ${recorded.commit.slice(0, 7)} as applied.${pushed}`,
    );
    return 0;
  } finally {
    if (recording !== undefined && textOf() !== '') {
      const now = new Date(world.clock.now());
      const problem = await recording.keepJournal(plan, endedText(textOf(), now));
      const undo = `octavo undo ${invocation.runId} works only here; its journal is not kept in git`;
      if (problem !== undefined) output.note(`warning[journal]: ${undo}: ${problem}`);
    }
    // Comes last: a file that cannot be written must not prevent the record.
    views.write(function* (view, options) {
      if (view.plan !== undefined) yield* view.plan(digested, options);
      for (const line of lines) yield view.line?.(line) ?? '';
      yield view.result?.(applied, options) ?? '';
    });
  }
}

function signatureOf(
  { flags: { autoApprove }, env, world }: Invocation,
  { isApproved, expected }: OpenedApply,
  plan: Plan,
): Signature {
  const actor = actorOf(env) ?? describeMachine(world.machine).owner;
  if (expected !== undefined) return { actor, approval: { type: 'approved', digest: expected.digest } };
  const isAsked = autoApprove !== true && plan.organizations.some(({ steps }) => steps.length > 0);
  const type = isApproved ? 'saved' : isAsked ? 'asked' : 'none';
  return { actor, approval: { type, ...(type === 'none' ? {} : { digest: planDigest(plan) }) } };
}

function runNotes(
  { args, flags, runId, cwd }: Invocation,
  settings: RunSettings,
  { expected }: OpenedApply,
): RunNotes {
  const undo = serviceName(settings, cwd) === undefined ? undefined : `octavo undo ${runId}`;
  if (expected?.isWhole === true)
    return { undo, next: 'To continue, plan and review the rest: --approved named the whole plan' };
  if (flags.approved?.startsWith('merged') === true) return { undo, next: 'Run this job again to continue' };
  // Result files belong to the pipeline, not to the suggested command.
  const words = args.filter((word, at) => !/^--format(?:=|$)/.test(word) && args[at - 1] !== '--format');
  return { undo, next: `Continue with: octavo ${words.map(quoted).join(' ')}` };
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

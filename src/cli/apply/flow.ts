/** Shows a run that changes the live workspace, and asks for its approval. Commands differ only in the source of their plan. */
import { isComplete } from '../../apply/events.ts';
import { describeMachine } from '../../past/lock/machine.ts';
import type { Signature } from '../../past/record/record.ts';
import { isEmptyPlan, type Plan, standingRefusals } from '../../plan/plan.ts';
import type { RunNotes } from '../../report/apply/closing.ts';
import type { ApplyView } from '../../report/apply/text.ts';
import { type ApplyRequest, applyRun, type RecordRequest } from '../../run/apply-run.ts';
import {
  type ApprovedPlan,
  approvedDigest,
  asApproved,
  recheckApproval,
} from '../../run/approval/approval.ts';
import { digestsOf, planDigest } from '../../run/approval/digest.ts';
import type { PlanRun } from '../../run/planning.ts';
import type { Session } from '../../run/session.ts';
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
import { ApplyProgress } from './track.ts';

/** The source of a plan that is applied, and of its approval. */
export interface OpenedApply extends Pick<ApplyRequest, 'plan' | 'approval'> {
  readonly session: Session;
  /** How to continue after a failure; default: with the same command. */
  readonly next?: string | undefined;
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
      return await runLocked(invocation, opened, settings, locks);
    } finally {
      await opened.session.service.close();
    }
  } finally {
    await locks.release();
  }
}

type ApplyViews = ChosenViews<ApplyView | undefined>;

async function runLocked(
  invocation: Invocation,
  opened: OpenedApply,
  settings: RunSettings,
  locks: RunLocks,
): Promise<number> {
  refuseToRecord(invocation, settings);
  const { flags, interrupt, output, runId, world, cwd } = invocation;
  const { session, plan, approval } = opened;
  const { record: to, offline } = flags;
  const run = { id: runId, now: () => new Date(world.clock.now()) };
  const views = await chosenViews<ApplyView | undefined>(invocation, applyViews);
  const progress = new ApplyProgress(invocation);
  const lines: string[] = [];
  const print = (line: string) => {
    views.show((view) => view.line?.(line));
    lines.push(line);
  };
  const isPrinted = views.chosen.some((view) => view?.line !== undefined);
  const notes = runNotes(invocation, settings, opened);
  let writeFiles: (() => void) | undefined;
  try {
    const ended = await applyRun(session, {
      plan,
      approval,
      record: to === undefined ? undefined : { ...opened.record, run, to, offline },
      onPlanned: (made) => {
        invocation.observe({ type: 'planned', plan: made });
        const digested = { plan: made, digests: digestsOf(made) };
        // Files show the plan even if it is not applied.
        views.write((view, options) => view.plan?.(digested, options));
        if (!isSilent(invocation, opened, made))
          views.show((view, options) => view.plan?.(digested, options));
      },
      approve: (planned) => approveAndRehearse(invocation, { ...opened, views }, planned),
      signed: (made) => signatureOf(invocation, opened, made),
      lock: locks,
      journal: {
        ...journalFor(invocation, settings, await world.journals(cwd)),
        print: isPrinted ? print : undefined,
      },
      parallelism: settings.parallelism,
      isInterrupted: () => interrupt.requested,
      onApproved: ({ today }) => progress.begin(today),
      onEvent: (event) => progress.event(event),
      onApplied: (applied) => {
        const { result } = applied;
        progress.end(result);
        if (result.unjournaled !== undefined)
          output.note(
            `warning[journal]: the journal of ${runId} could not be completed, so octavo undo may not know its last requests: ${result.unjournaled}`,
          );
        const digested = { plan: applied.plan, digests: digestsOf(applied.plan) };
        writeFiles = () =>
          views.write(function* (view, options) {
            if (view.plan !== undefined) yield* view.plan(digested, options);
            for (const line of lines) yield view.line?.(line) ?? '';
            yield view.result?.({ ...applied, notes }, options) ?? '';
          });
        views.show((view, options) => view.result?.({ ...applied, notes }, options));
      },
    });
    return showEnd(invocation, ended);
  } finally {
    progress.stop();
    // Comes last: a file that cannot be written must not prevent the record.
    writeFiles?.();
  }
}

function showEnd(
  { observe, interrupt, output, runId }: Invocation,
  ended: Awaited<ReturnType<typeof applyRun>>,
): number {
  if (ended.type === 'declined') {
    observe({ type: 'declined' });
    output.error('Not applied.');
    return 1;
  }
  const { loss, result, recorded, unkept } = ended;
  if (loss !== undefined) output.error(diagnosticsText(output, loss.diagnostics, loss.sources));
  if (recorded !== undefined) {
    const pushed = recorded.pushTo === undefined ? '' : ` The record was pushed to ${recorded.pushTo}.`;
    output.note(
      'notRecorded' in recorded
        ? `Not recorded: ${recorded.notRecorded}.`
        : `Recorded commit ${recorded.commit.slice(0, 7)} as applied.${pushed}`,
    );
  }
  if (unkept !== undefined) {
    const undo = `octavo undo ${runId} works only here; its journal is not kept in git`;
    output.note(`warning[journal]: ${undo}: ${unkept}`);
  }
  if (loss === undefined && result.interrupted) return interrupt.exitCode;
  return loss === undefined && isComplete(result) ? 0 : 1;
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

/** A saved plan can only be rehearsed after the live state was read. */
async function approveAndRehearse(
  invocation: Invocation,
  opened: OpenedApply & { readonly views: ApplyViews },
  planned: PlanRun,
): Promise<ApprovedPlan | undefined> {
  const { isApproved, session } = opened;
  if (!isApproved) await rehearseFirst(invocation, session, planned);
  const approved = await approve(invocation, opened, planned);
  if (isApproved && approved !== undefined) await rehearseFirst(invocation, session, approved);
  return approved;
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
  { session, isApproved, approval, views }: OpenedApply & { readonly views: ApplyViews },
  planned: PlanRun,
): Promise<ApprovedPlan | undefined> {
  const { flags, interrupt, output, world } = invocation;
  const recheck = () =>
    output.during('Reading the live state again', () => recheckApproval(session, planned, world.clock.now()));
  if (isApproved || approvedDigest(approval) !== undefined) return recheck();
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

function signatureOf(
  { flags: { autoApprove }, env, world }: Invocation,
  { isApproved, approval }: OpenedApply,
  plan: Plan,
): Signature {
  const digest = approvedDigest(approval);
  const actor = actorOf(env) ?? describeMachine(world.machine).owner;
  if (digest !== undefined) return { actor, approval: { type: 'approved', digest } };
  const isAsked = autoApprove !== true && plan.organizations.some(({ steps }) => steps.length > 0);
  const type = isApproved ? 'saved' : isAsked ? 'asked' : 'none';
  return { actor, approval: { type, ...(type === 'none' ? {} : { digest: planDigest(plan) }) } };
}

function runNotes(
  { args, runId, cwd }: Invocation,
  settings: RunSettings,
  { approval, next }: OpenedApply,
): RunNotes {
  const undo = serviceName(settings, cwd) === undefined ? undefined : `octavo undo ${runId}`;
  if (next !== undefined) return { undo, next };
  const isWhole = approval !== undefined && 'digests' in approval && approval.parts === undefined;
  if (isWhole)
    return { undo, next: 'To continue, plan and review the rest: --approved named the whole plan' };
  // Result files belong to the pipeline, not to the suggested command.
  const words = args.filter((word, at) => !/^--format(?:=|$)/.test(word) && args[at - 1] !== '--format');
  return { undo, next: `Continue with: octavo ${words.map(quoted).join(' ')}` };
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

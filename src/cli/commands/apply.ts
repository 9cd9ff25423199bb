/** `octavo apply`: plans, asks, and makes exactly the requests that were shown. */
import { applyPlan } from '../../apply/apply-plan.ts';
import { type ApplyEvent, type ApplyResult, isComplete } from '../../apply/events.ts';
import type { Api } from '../../contract/api.ts';
import { registry } from '../../kinds/index.ts';
import { isEmptyPlan, type Plan, standingRefusals } from '../../plan/plan.ts';
import { renderApplyJson } from '../../report/apply-json.ts';
import { outcomeLine, renderApplyResult } from '../../report/apply-text.ts';
import { askForApproval } from '../approval.ts';
import { loadBases } from '../base.ts';
import { systemClock } from '../clock.ts';
import { connect } from '../connection.ts';
import { isExpectedDigest, planDigest, shortDigest } from '../digest.ts';
import { interruptedExitCode } from '../interrupt.ts';
import type { Invocation } from '../invocation.ts';
import type { Output } from '../output.ts';
import { Planner } from '../planner.ts';
import { prepareRecording } from '../record.ts';
import { readSettings } from '../settings.ts';
import { showNotes } from '../show-notes.ts';
import { userError } from '../user-error.ts';
import { loadTrees } from '../workspace.ts';
import { planText } from './plan.ts';

/** Exit code 0 when everything was done, 1 when something failed or was refused, 130 when interrupted. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, output } = invocation;
  const settings = readSettings(invocation);
  const trees = await loadTrees(invocation, settings);
  const bases = await loadBases(invocation, settings, trees);
  const recording = await prepareRecording(invocation, settings, trees);
  const { client, close } = await connect(invocation, settings, trees);
  try {
    const planner = new Planner({ api: client, trees, bases, flags, output });
    const plan = await planner.plan();
    showNotes(invocation, plan);
    const digest = planDigest(plan);
    const asText = flags.format !== 'json';
    if (asText) output.result(planText(plan, output));
    refuse(plan, digest, flags.expect);
    if (!isEmptyPlan(plan) && !(await isApproved(invocation, planner, digest))) {
      output.error('Not applied.');
      return 1;
    }
    const parallelism = settings.parallelism;
    const result = await applyApproved(invocation, { plan, planner, api: client, parallelism });
    if (!asText) output.result(renderApplyJson(plan, digest, result));
    else if (!isEmptyPlan(plan)) output.result(`\n${renderApplyResult(result, output)}`);
    if (result.interrupted) return interruptedExitCode;
    if (!isComplete(result)) return 1;
    await recording?.record();
    return 0;
  } finally {
    await close();
  }
}

/** What stands in the way before anybody is asked. */
function refuse(plan: Plan, digest: string, expected: string | undefined): void {
  if (expected !== undefined && !isExpectedDigest(digest, expected)) {
    throw userError(
      'unexpected-plan',
      `the plan is not the expected one: its digest is ${shortDigest(digest)}, not ${expected}`,
      'the manifests or the live state have changed since: plan and review again',
    );
  }
  const refused = standingRefusals(plan);
  if (refused.length > 0) {
    const addresses = [...new Set(refused.map(({ address }) => address))].join(', ');
    throw userError(
      'refused',
      `nothing was applied: the plan holds refused changes (${addresses})`,
      'what would allow each is said with it; to apply all that does not need them: --skip-refused',
    );
  }
}

/** Asks on a terminal. What was shown must still be what would be done when the answer comes. */
async function isApproved(invocation: Invocation, planner: Planner, digest: string): Promise<boolean> {
  if (invocation.flags.autoApprove === true) return true;
  if (invocation.flags.format === 'json') {
    throw userError(
      'not-approved',
      'nobody can approve a plan that is not shown',
      'add --auto-approve to --format json',
    );
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw userError(
      'not-approved',
      'there is no terminal to ask for approval on',
      'review the plan, then run apply with --auto-approve',
    );
  }
  if (!(await askForApproval(invocation.interrupt.signal))) return false;
  if (planDigest(await planner.plan()) === digest) return true;
  throw userError(
    'stale-plan',
    'the live state has changed since the plan was shown',
    'look at the plan again',
  );
}

interface Approved {
  readonly plan: Plan;
  readonly planner: Planner;
  readonly api: Api;
  readonly parallelism: number;
}

async function applyApproved(invocation: Invocation, approved: Approved): Promise<ApplyResult> {
  const { output, interrupt } = invocation;
  const { plan, planner, api, parallelism } = approved;
  interrupt.finishFirst();
  const total = plan.organizations.reduce((sum, { steps }) => sum + steps.length, 0);
  const progress = await output.progress(`Applying ${total} steps`);
  const track = follow(output, total);
  try {
    return await applyPlan(plan, {
      api,
      registry,
      parallelism,
      replan: (organization, made) => planner.replan(organization, made),
      isInterrupted: () => interrupt.requested,
      onEvent: (event) => {
        const { line, status } = track(event);
        if (line !== undefined) progress.line(line);
        progress.update(status);
      },
      sleep: (milliseconds) => systemClock.sleep(milliseconds, interrupt.signal),
    });
  } finally {
    progress.stop();
  }
}

/** Turns events into lines for people. */
function follow(output: Output, total: number) {
  let ended = 0;
  let last = '';
  return (event: ApplyEvent): { readonly line?: string; readonly status: string } => {
    const status = () => `Applying: ${ended} of ${total} steps, ${last}`;
    if (event.type === 'stepStarted') {
      last = event.step.address;
      return { status: status() };
    }
    if (event.type === 'stepEnded') {
      ended += 1;
      return { line: outcomeLine(event.outcome, output.errorColor), status: status() };
    }
    return { line: `Read again: ${event.steps.length} more to do`, status: status() };
  };
}

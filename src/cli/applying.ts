/** Runs an approved plan with progress, and tells what became of it. */
import { applyPlan } from '../apply/apply-plan.ts';
import { type ApplyEvent, type ApplyResult, isComplete } from '../apply/events.ts';
import type { Api } from '../contract/api.ts';
import { registry } from '../kinds/index.ts';
import type { OrganizationPlan, Plan } from '../plan/plan.ts';
import { renderApplyJson } from '../report/apply-json.ts';
import { outcomeLine, renderApplyResult } from '../report/apply-text.ts';
import type { Confirmed } from './approved.ts';
import { planDigest } from './digest.ts';
import type { Invocation } from './invocation.ts';
import type { Output } from './output.ts';
import type { Planner } from './planner.ts';

/** What an apply works with. */
export interface Applying extends Confirmed {
  /** The plan as it was approved; what it does not touch stays as it is. */
  readonly approved: Plan;
  readonly planner: Planner;
  readonly api: Api;
  readonly parallelism: number;
}

/** Applies, and shows the result. Exit code 0 when all was done, 1 when not, 130 when interrupted. */
export async function applyAndTell(invocation: Invocation, applying: Applying): Promise<number> {
  const { output, flags } = invocation;
  const result = withSatisfied(await run(invocation, applying), applying);
  if (flags.format === 'json') {
    output.result(renderApplyJson(applying.approved, planDigest(applying.approved), result));
  } else if (result.organizations.some(({ outcomes, leftover }) => outcomes.length + leftover.length > 0)) {
    output.result(`\n${renderApplyResult(result, output)}`);
  }
  if (result.interrupted) return invocation.interrupt.exitCode;
  return isComplete(result) ? 0 : 1;
}

async function run(invocation: Invocation, applying: Applying): Promise<ApplyResult> {
  const { output, interrupt, world } = invocation;
  const { plan, approved, planner, api, parallelism } = applying;
  interrupt.finishFirst();
  const total = plan.organizations.reduce((sum, { steps }) => sum + steps.length, 0);
  const progress = await output.progress(`Applying ${total} steps`);
  const track = follow(output, total);
  try {
    return await applyPlan(plan, {
      api,
      registry,
      parallelism,
      replan: async (organization, made) => within(approved, await planner.replan(organization, made)),
      isInterrupted: () => interrupt.requested,
      onEvent: (event) => {
        const { line, status } = track(event);
        if (line !== undefined) progress.line(line);
        progress.update(status);
      },
      sleep: (milliseconds) => world.clock.sleep(milliseconds, interrupt.signal),
    });
  } finally {
    progress.stop();
  }
}

/** Only what concerns the objects that the approved plan touches, and what stands in them. */
function within(approved: Plan, today: OrganizationPlan): OrganizationPlan {
  const organization = approved.organizations.find(({ label }) => label === today.label);
  const touched = new Set((organization?.steps ?? []).map(({ address }) => address));
  const isTouched = (address: string) => {
    for (let end = address.length; end > 0; end = address.lastIndexOf('/', end - 1)) {
      if (touched.has(address.slice(0, end))) return true;
    }
    return false;
  };
  return { ...today, steps: today.steps.filter(({ address }) => isTouched(address)) };
}

/** What was done already when apply began stands among the outcomes. */
function withSatisfied(result: ApplyResult, { satisfied }: Confirmed): ApplyResult {
  return {
    ...result,
    organizations: result.organizations.map((organization) => ({
      ...organization,
      outcomes: [
        ...(satisfied.get(organization.label) ?? []).map((step) => ({ type: 'satisfied' as const, step })),
        ...organization.outcomes,
      ],
    })),
  };
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
      return { line: outcomeLine(event.outcome, { color: output.errorColor }), status: status() };
    }
    return { line: `Read again: ${event.steps.length} more to do`, status: status() };
  };
}

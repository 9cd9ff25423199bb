/** Applies an approved plan while a spinner shows how far it is, and each step gets a line. */
import type { ApplyEvent, ApplyResult } from '../apply/events.ts';
import { countActions, type Plan, type Step } from '../plan/plan.ts';
import { outcomeLine } from '../report/apply-text.ts';
import type { ApprovedPlan } from '../run/approval.ts';
import type { Session } from '../run/session.ts';
import { countOf } from '../util/count.ts';
import type { Invocation } from './invocation.ts';
import type { Output } from './output.ts';

/** What is applied, and how. */
export interface ApplyWork {
  readonly session: Session;
  readonly approved: ApprovedPlan;
  readonly parallelism: number;
}

/** Applies, and returns what became of it. The first Ctrl-C waits for requests in flight. */
export async function applyWithProgress(
  { output, interrupt }: Invocation,
  { session, approved, parallelism }: ApplyWork,
): Promise<ApplyResult> {
  interrupt.finishFirst();
  const { today } = approved;
  const counts = Object.values(countActions(today)).reduce((sum, count) => sum + count, 0);
  const progress = await output.progress(`Applying ${countOf(counts, 'change')}`);
  const track = follow(output, today, counts);
  try {
    return await session.apply(approved, {
      parallelism,
      isInterrupted: () => interrupt.requested,
      onEvent: (event) => {
        const { line, status } = track(event);
        if (line !== undefined) progress.line(line);
        progress.update(status);
      },
    });
  } finally {
    progress.stop();
  }
}

/** Turns events into lines for people. What is counted are the changes of the plan: one has ended with its last step. */
function follow(output: Output, plan: Plan, total: number) {
  const open = new Map<string, number>();
  for (const { label, steps } of plan.organizations) {
    for (const step of steps) open.set(keyOf(label, step), (open.get(keyOf(label, step)) ?? 0) + 1);
  }
  let ended = 0;
  let last = '';
  return (event: ApplyEvent): { readonly line?: string; readonly status: string } => {
    const status = () => `Applying: ${ended} of ${countOf(total, 'change')}, ${last}`;
    if (event.type === 'stepStarted') {
      last = event.step.address;
      return { status: status() };
    }
    if (event.type === 'stepEnded') {
      const key = keyOf(event.organization, event.outcome.step);
      const left = (open.get(key) ?? 0) - 1;
      open.set(key, left);
      if (left === 0) ended += 1;
      return { line: outcomeLine(event.outcome, { color: output.errorColor }), status: status() };
    }
    const pending = countOf(event.steps.length, 'change');
    return { line: `Re-read live state: ${pending} still pending`, status: status() };
  };
}

/** As plans count: an object and what happens to it. */
function keyOf(organization: string, { address, action }: Step): string {
  return `${organization} ${address} ${action}`;
}

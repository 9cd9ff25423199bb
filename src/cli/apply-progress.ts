/** Applies an approved plan while a spinner shows how far it is, and each step gets a line. */
import type { ApplyEvent, ApplyResult } from '../apply/events.ts';
import { countActions, type Plan, type Step } from '../plan/plan.ts';
import { otherWriterLine, outcomeLine } from '../report/outcome-line.ts';
import type { ApplyRun } from '../run/apply-run.ts';
import type { ApprovedPlan } from '../run/approval.ts';
import type { Session } from '../run/session.ts';
import { countOf } from '../util/count.ts';
import { unreachable } from '../util/unreachable.ts';
import type { Invocation } from './invocation.ts';
import type { Output } from './output.ts';

/** What is applied, and how. */
export interface ApplyWork extends Pick<ApplyRun, 'journal' | 'parallelism' | 'locked' | 'stopReason'> {
  readonly session: Session;
  readonly approved: ApprovedPlan;
  /** Shows what happens, while it happens. */
  readonly follow?: (event: ApplyEvent) => void;
}

/** Applies, and returns what became of it. The first Ctrl-C waits for requests in flight. */
export async function applyWithProgress(
  { output, interrupt, observe }: Invocation,
  { session, approved, follow: show, ...run }: ApplyWork,
): Promise<ApplyResult> {
  interrupt.finishFirst();
  const { today } = approved;
  const counts = Object.values(countActions(today)).reduce((sum, count) => sum + count, 0);
  const progress = await output.progress(`Applying ${countOf(counts, 'change')}`);
  const track = follow(output, today, counts);
  observe({ type: 'phaseStarted', phase: 'apply' });
  try {
    const result = await session.apply(approved, {
      ...run,
      isInterrupted: () => interrupt.requested,
      onEvent: (event) => {
        observe({ type: 'apply', event });
        show?.(event);
        const { line, status } = track(event);
        if (line !== undefined) progress.line(line);
        progress.update(status);
      },
    });
    observe({ type: 'applied', result });
    return result;
  } finally {
    observe({ type: 'phaseEnded', phase: 'apply' });
    progress.stop();
  }
}

/** Turns events into lines for people. What is counted are the changes of the plan: one has ended with its last step. */
function follow(output: Output, plan: Plan, total: number) {
  const open = new Map<string, number>();
  for (const { label, steps } of plan.organizations) {
    for (const step of steps) open.set(keyOf(label, step), (open.get(keyOf(label, step)) ?? 0) + 1);
  }
  const doubtful = new Set<string>();
  let ended = 0;
  let last = '';
  const { errorColor: color } = output;
  const status = () => `Applying: ${ended} of ${countOf(total, 'change')}, ${last}`;
  const stepEnded = ({ organization, outcome, isFinal }: Extract<ApplyEvent, { type: 'stepEnded' }>) => {
    const name = `${organization} ${outcome.step.id}`;
    const isTold = outcome.type === 'failed' && doubtful.has(name);
    if (!isFinal) doubtful.add(name);
    else {
      const key = keyOf(organization, outcome.step);
      const left = (open.get(key) ?? 0) - 1;
      open.set(key, left);
      if (left === 0) ended += 1;
    }
    // A failure that was not confirmed has its line; the summary says what became of it.
    return isTold ? undefined : outcomeLine(outcome, { color, isFinal });
  };
  return (event: ApplyEvent): { readonly line?: string | undefined; readonly status: string } => {
    switch (event.type) {
      case 'stepStarted':
        last = event.step.address;
        return { status: status() };
      case 'stepEnded':
        return { line: stepEnded(event), status: status() };
      case 'otherWriter':
        return { line: otherWriterLine(event.other), status: status() };
      case 'round': {
        const pending = countOf(event.steps.length, 'change');
        return { line: `Re-read live state: ${pending} still pending`, status: status() };
      }
      default:
        return unreachable(event);
    }
  };
}

/** As plans count: an object and what happens to it. */
function keyOf(organization: string, { address, action }: Step): string {
  return `${organization} ${address} ${action}`;
}

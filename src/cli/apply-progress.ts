/** Applies an approved plan while a spinner shows how far it is, and each step gets a line. */
import type { ApplyEvent, ApplyResult } from '../apply/events.ts';
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
  const total = approved.today.organizations.reduce((sum, { steps }) => sum + steps.length, 0);
  const progress = await output.progress(`Applying ${countOf(total, 'step')}`);
  const track = follow(output, total);
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

/** Turns events into lines for people. */
function follow(output: Output, total: number) {
  let ended = 0;
  let last = '';
  return (event: ApplyEvent): { readonly line?: string; readonly status: string } => {
    const status = () => `Applying: ${ended} of ${countOf(total, 'step')}, ${last}`;
    if (event.type === 'stepStarted') {
      last = event.step.address;
      return { status: status() };
    }
    if (event.type === 'stepEnded') {
      ended += 1;
      return { line: outcomeLine(event.outcome, { color: output.errorColor }), status: status() };
    }
    const pending = countOf(event.steps.length, 'change');
    return { line: `Re-read live state: ${pending} still pending`, status: status() };
  };
}

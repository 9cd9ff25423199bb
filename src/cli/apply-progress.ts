/** Applies an approved plan while a spinner shows how far it is, and each step gets a line. */
import type { ApplyEvent, ApplyResult } from '../apply/events.ts';
import type { ApplyRun } from '../run/apply-run.ts';
import type { ApprovedPlan } from '../run/approval.ts';
import type { Session } from '../run/session.ts';
import { ApplyTrack } from './apply-track.ts';
import type { Invocation } from './invocation.ts';

/** What is applied, and how. */
export interface ApplyWork extends Pick<ApplyRun, 'journal' | 'parallelism' | 'locked' | 'stopReason'> {
  readonly session: Session;
  readonly approved: ApprovedPlan;
  /** Shows what happens, while it happens. */
  readonly follow?: (event: ApplyEvent) => void;
}

/** Applies, and returns what became of it. The first Ctrl-C waits for requests in flight. */
export async function applyWithProgress(
  { output, interrupt, observe, world }: Invocation,
  { session, approved, follow: show, ...run }: ApplyWork,
): Promise<ApplyResult> {
  interrupt.finishFirst();
  const track = new ApplyTrack(approved.today, {
    now: world.clock.now,
    color: output.errorColor,
    // Lines of logs are kept whole.
    width: output.isLively ? output.errorWidth : undefined,
  });
  if (track.head !== undefined) output.note(track.head);
  const progress = await output.progress('Applying');
  progress.update(track.state());
  observe({ type: 'phaseStarted', phase: 'apply' });
  try {
    const result = await session.apply(approved, {
      ...run,
      isInterrupted: () => interrupt.requested,
      onEvent: (event) => {
        observe({ type: 'apply', event });
        show?.(event);
        const line = track.take(event);
        if (line !== undefined) progress.line(line);
        progress.update(track.state());
      },
    });
    observe({ type: 'applied', result });
    if (track.head !== undefined) progress.line(track.ending(result));
    return result;
  } finally {
    observe({ type: 'phaseEnded', phase: 'apply' });
    progress.stop();
  }
}

/** Rehearses a plan while a spinner shows that something is under way. */
import type { Rehearsal } from '../plan/rehearsal.ts';
import type { ApprovedPlan } from '../run/approval.ts';
import type { PlanRun } from '../run/planning.ts';
import { stageMaker } from '../run/rehearse/stage.ts';
import type { Session } from '../run/session.ts';
import type { Invocation } from './invocation.ts';

/** Rehearses the last plan of the session. Ctrl-C ends it. */
export async function rehearseWithProgress(
  { output, interrupt, observe, world }: Invocation,
  session: Session,
  planned: PlanRun | ApprovedPlan,
): Promise<Rehearsal> {
  const progress = await output.progress('Rehearsing the plan');
  observe({ type: 'phaseStarted', phase: 'rehearse' });
  try {
    const rehearsal = await session.rehearse(planned, {
      makeStage: stageMaker({
        copy: async (source) => (await import('../server/reads/copy.ts')).copyService(source),
        clock: world.clock,
        signal: interrupt.signal,
      }),
      isInterrupted: () => interrupt.requested,
    });
    observe({ type: 'rehearsed', rehearsal });
    return rehearsal;
  } finally {
    observe({ type: 'phaseEnded', phase: 'rehearse' });
    progress.stop();
  }
}

import type { ApplyResult } from '../../src/apply/events.ts';
import { type ApplyRequest, applyRun } from '../../src/run/apply-run.ts';
import type { PlanRun } from '../../src/run/planning.ts';
import type { Session } from '../../src/run/session.ts';

/** Applies a plan that was made before. */
export async function applied(
  session: Session,
  planned: PlanRun,
  options: Omit<ApplyRequest, 'plan'> = {},
): Promise<ApplyResult> {
  const ended = await applyRun(session, { ...options, plan: () => planned });
  if (ended.type === 'declined') throw new Error('the plan was declined');
  return ended.result;
}

/** `octavo plan`: shows what would change, and why. Changes nothing. */
import { isEmptyPlan, standingRefusals } from '../../plan/plan.ts';
import type { Invocation } from '../invocation.ts';
import { withPlan } from '../session.ts';
import { showWithRehearsal } from '../show-plan.ts';

/**
 * Exit code 0; 3 when something is refused, 1 when the rehearsal fails, else 2 with --detailed-exitcode when there are
 * changes.
 */
export function run(invocation: Invocation): Promise<number> {
  const { flags, output } = invocation;
  return withPlan(invocation, async (session, planned) => {
    const { plan } = planned;
    const isRefused = standingRefusals(plan).length > 0;
    if ((await showWithRehearsal(invocation, session, planned)) === 'failed') return 1;
    if (flags.out !== undefined) {
      await session.save(planned, flags.out);
      output.note(`Saved as ${flags.out}${isRefused ? '' : `; apply it with: octavo apply ${flags.out}`}`);
    }
    if (isRefused) return 3;
    return flags.detailedExitcode === true && !isEmptyPlan(plan) ? 2 : 0;
  });
}

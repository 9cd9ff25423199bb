import { isEmptyPlan, standingRefusals } from '../../plan/plan.ts';
import { defineCommand, type Invocation } from '../line/command.ts';
import {
  approving,
  looks,
  manifests,
  merging,
  organizations,
  planFiles,
  planning,
  records,
  service,
} from '../line/flags.ts';
import { planViews } from '../show/views.ts';

export const command = defineCommand({
  flags: {
    ...manifests,
    ...organizations,
    ...service,
    ...planning,
    ...merging,
    ...looks,
    rehearse: approving.rehearse,
    ...planFiles,
    ...records,
  },
  views: planViews,
  exitCodes: [
    ['1', 'an error, or a rehearsal that failed'],
    ['2', 'with --detailed-exitcode: there are changes, and none is refused'],
    ['3', 'a change is refused'],
  ],
  examples: [
    'octavo plan -f docs',
    'octavo plan -f docs --base origin/main --detailed-exitcode --out plan.json',
    'octavo plan -f docs --base origin/main --rehearse',
    "octavo plan -f docs --overlay production --target 'sites/developer-hub/**'",
  ],
  guide: 'base',
  run,
});

/** Exit code 0; 3 if something is refused, 1 if the rehearsal fails, else 2 with --detailed-exitcode if there are changes. */
async function run(invocation: Invocation): Promise<number> {
  const { flags, output } = invocation;
  // Not for help and completion.
  const { withPlan } = await import('../service/session.ts');
  const { showWithRehearsal } = await import('../show/plan.ts');
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

import { defineCommand, type Invocation } from '../line/command.ts';
import { approving, display, merging, planFiles, planning, reading } from '../line/flags.ts';
import { planViews } from '../show/views.ts';

export const command = defineCommand({
  flags: {
    ...reading,
    ...planning,
    ...merging,
    ...display,
    rehearse: approving.rehearse,
    ...planFiles,
  },
  views: planViews,
  makesPlan: true,
  run,
});

async function run(invocation: Invocation): Promise<number> {
  // Help and completion do not need these modules.
  const { choicesOf, withSession } = await import('../service/session.ts');
  const { planRun } = await import('../../run/plan-run.ts');
  const { showAndSave } = await import('../show/plan.ts');
  return withSession(invocation, {}, async ({ session, read }) => {
    const planned = await read(() => planRun(session, choicesOf(invocation.flags)));
    invocation.observe({ type: 'planned', plan: planned.plan });
    return showAndSave(invocation, session, planned, async (file) => {
      const { savePlan } = await import('../../run/plan-file/save-plan.ts');
      await savePlan(session, planned, file, invocation.folder);
    });
  });
}

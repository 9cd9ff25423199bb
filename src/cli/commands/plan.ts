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
  // Help and completion do not need this module.
  const { withPlan } = await import('../service/session.ts');
  const { showAndSave } = await import('../show/plan.ts');
  return withPlan(invocation, async (session, planned) =>
    showAndSave(invocation, session, planned, (file) => session.save(planned, file, invocation.folder)),
  );
}

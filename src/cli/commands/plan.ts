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

async function run(invocation: Invocation): Promise<number> {
  // Help and completion do not need this module.
  const { withPlan } = await import('../service/session.ts');
  const { showAndSave } = await import('../show/plan.ts');
  return withPlan(invocation, async (session, planned) =>
    showAndSave(invocation, session, planned, (file) => session.save(planned, file, invocation.folder)),
  );
}

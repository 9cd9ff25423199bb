import { isRunId } from '../../past/journal/journal-folder.ts';
import { standingRefusals } from '../../plan/plan.ts';
import { digestsOf } from '../../run/approval/digest.ts';
import { readPlanFile } from '../../run/plan-file/read-plan.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type Invocation } from '../line/command.ts';
import { display } from '../line/flags.ts';
import { showNotes } from '../show/notes.ts';
import { chosenViews } from '../show/view-for.ts';
import { planViews } from '../show/views.ts';

export const command = defineCommand({
  words: { name: 'plan', completes: 'files' },
  flags: display,
  views: planViews,
  run,
});

async function run(invocation: Invocation): Promise<number> {
  const { words, cwd } = invocation;
  const [file] = words;
  if (file === undefined) {
    throw userError('plan-file', 'which plan?', 'octavo show FILE, where octavo plan --out FILE wrote FILE');
  }
  if (isRunId(file)) {
    throw userError('plan-file', `${file} is a run, not a saved plan`, `octavo history ${file} shows it`);
  }
  const { plan } = readPlanFile(cwd, file);
  const notes = plan.organizations.flatMap((organization) => organization.notes);
  if (notes.length > 0) showNotes(invocation, notes, new Map());
  const digested = { plan, digests: digestsOf(plan) };
  (await chosenViews(invocation, planViews)).all((view, options) => view(digested, options));
  return standingRefusals(plan).length > 0 ? 3 : 0;
}

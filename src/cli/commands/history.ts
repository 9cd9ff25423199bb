/** `octavo history`: the runs of this workspace, from journals and from records in git. Asks no service. */
import type { RunDetails } from '../../report/history.ts';
import { detailsOf, type HistorySource, readHistory } from '../../run/history/history.ts';
import { JournalFolder } from '../../run/journal/journal-folder.ts';
import { describeMachine } from '../../run/lock/machine.ts';
import { findRun } from '../../run/undo/find-run.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../invocation.ts';
import { chosenViews } from '../view-for.ts';
import { historyViews } from '../views.ts';

/** Exit code 0; 1 for a run that is not known. */
export async function run(invocation: Invocation): Promise<number> {
  const { argument, cwd, env, world } = invocation;
  const folder = new JournalFolder(cwd);
  const machine = describeMachine(world.machine);
  const source = { cwd, env, folder, machine };
  const shown = argument === undefined ? await readHistory(source) : await oneRun(source, argument);
  (await chosenViews(invocation, historyViews)).all((view, options) => view(shown, options));
  return 0;
}

/** Throws a DiagnosticError for a run that is not known, or whose journal is elsewhere. */
async function oneRun(source: HistorySource, name: string): Promise<RunDetails> {
  const { folder, machine } = source;
  if (!folder.runs().includes(name)) {
    const record = (await readHistory(source)).runs.find(({ run: known }) => known === name);
    if (record !== undefined) {
      throw userError(
        'unknown-run',
        `run ${name} was recorded in git (commit ${record.commit}), and its journal is on the machine that applied it`,
      );
    }
  }
  return detailsOf(findRun(folder, name), machine);
}

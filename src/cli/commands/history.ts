import type { RunDetails } from '../../report/results/history.ts';
import { detailsOf, type HistorySource, readHistory } from '../../run/history/history.ts';
import { JournalFolder } from '../../run/journal/journal-folder.ts';
import { describeMachine } from '../../run/lock/machine.ts';
import { findRun } from '../../run/undo/find-run.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type Invocation } from '../line/command.ts';
import { chosenViews } from '../show/view-for.ts';
import { historyViews } from '../show/views.ts';

export const command = defineCommand({
  words: { name: 'run', description: 'Id of the run to show with its steps', completes: 'runs' },
  flags: {},
  views: historyViews,
  examples: ['octavo history', 'octavo history r-mdlq2v9k-03fa'],
  guide: 'recovery',
  run,
});

async function run(invocation: Invocation): Promise<number> {
  const { words, cwd, env, world } = invocation;
  const [named] = words;
  const folder = new JournalFolder(cwd);
  const machine = describeMachine(world.machine);
  const source = { cwd, env, folder, machine };
  const shown = named === undefined ? await readHistory(source) : await oneRun(source, named);
  (await chosenViews(invocation, historyViews)).all((view, options) => view(shown, options));
  return 0;
}

/** Throws a DiagnosticError if the run is unknown, or its journal is elsewhere. */
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

import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';
import type { JournalFolder } from '../journal/journal-folder.ts';
import { type JournaledRun, readJournal, tryReadJournal } from '../journal/read-journal.ts';

const listedAtMost = 10;

/**
 * By name; default: the last run that changed something in the service, except undos. Without a service, of any.
 * @throws DiagnosticError if there is none.
 */
export function findRun(
  folder: JournalFolder,
  name: string | undefined,
  service?: string | undefined,
): JournaledRun {
  const runs = [...folder.runs()].reverse();
  if (name !== undefined) {
    if (runs.includes(name)) return readJournal(folder, name);
    const near = nearest(name, runs);
    throw userError(
      'unknown-run',
      `no journal of a run ${JSON.stringify(name)} in ${folder.name}`,
      helpFor(runs, near),
    );
  }
  for (const run of runs) {
    const journal = tryReadJournal(folder, run);
    if (journal !== undefined && isMeant(journal, service)) return journal;
  }
  throw userError(
    'unknown-run',
    `nothing to undo: no apply with a journal in ${folder.name} changed anything${service === undefined ? '' : ` of ${service}`}`,
    runs.length === 0
      ? 'run it on the machine, and in the folder, that the changes were applied from'
      : undefined,
  );
}

function isMeant({ header, sent }: JournaledRun, service: string | undefined): boolean {
  return sent > 0 && header.undoes === undefined && (service === undefined || header.service === service);
}

function helpFor(runs: readonly string[], near: string | undefined): string {
  if (near !== undefined) return `did you mean ${near}?`;
  if (runs.length === 0)
    return 'run it on the machine, and in the folder, that the changes were applied from';
  const more = runs.length > listedAtMost ? `, and ${runs.length - listedAtMost} older ones` : '';
  return `the runs, latest first: ${runs.slice(0, listedAtMost).join(', ')}${more}`;
}

import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';
import { journalsInGit, type RepositoryPlace } from './git-journals.ts';
import { isRunId, type JournalStore } from './journal-folder.ts';
import { type JournaledRun, readJournal, tryReadJournal } from './read-journal.ts';

const listedAtMost = 10;

/**
 * Finds a run by name, also in git. Defaults to the last local run that changed the service and is not undone, except undos; without a
 * service, to the last of any service. A run from git has to be named, because anyone with push access could add a newer one.
 * @throws DiagnosticError if no run is found.
 */
export async function findRun(
  { store, ...place }: RepositoryPlace & { readonly store: JournalStore },
  name: string | undefined,
  service?: string | undefined,
): Promise<JournaledRun> {
  const runs = [...store.runs()].reverse();
  if (name !== undefined) {
    if (runs.includes(name)) return readJournal(store, name);
    if (!isRunId(name))
      throw unknownRun(`no journal of a run ${JSON.stringify(name)} in ${store.name}`, runs, name);
    const { runs: found, damaged, remote, unreachable } = await journalsInGit(place, name);
    const [first] = found;
    if (first !== undefined) return first;
    const [problem] = damaged;
    if (problem !== undefined) throw problem;
    const asked = remote === undefined ? 'no remote to ask' : `refs/octavo/journals of ${remote}`;
    const unasked = unreachable && `${remote ?? 'the repository'} cannot be asked: ${unreachable}`;
    const where = `in git (${unasked ?? asked})`;
    throw unknownRun(`no journal of a run "${name}" in ${store.name}, nor ${where}`, runs, name);
  }
  const last = lastToUndo(store, runs, service);
  if (last !== undefined) return last;
  throw userError(
    'unknown-run',
    `nothing to undo: no apply with a journal in ${store.name} changed anything${service === undefined ? '' : ` of ${service}`} that is not undone`,
    runs.length === 0
      ? 'name a run that a pipeline applied: octavo history lists those kept in git'
      : undefined,
  );
}

/** An undo that was itself undone does not count. */
function lastToUndo(
  store: JournalStore,
  runs: readonly string[],
  service: string | undefined,
): JournaledRun | undefined {
  const undone = new Set<string>();
  for (const run of runs) {
    const journal = tryReadJournal(store, run);
    if (journal === undefined || journal.sent === 0 || undone.has(run)) continue;
    const { undoes, service: own } = journal.header;
    if (undoes !== undefined) {
      if (journal.ending?.outcome === 'complete') undone.add(undoes);
    } else if (service === undefined || own === service) return journal;
  }
  return undefined;
}

function unknownRun(message: string, runs: readonly string[], name: string): Error {
  const near = nearest(name, runs);
  return userError('unknown-run', message, near === undefined ? helpFor(runs) : `did you mean ${near}?`);
}

function helpFor(runs: readonly string[]): string {
  const elsewhere =
    'a run of a pipeline is kept in git if it was applied with --record, among the last 20 of its organization';
  if (runs.length === 0) return elsewhere;
  const more = runs.length > listedAtMost ? `, and ${runs.length - listedAtMost} older ones` : '';
  return `the runs here, latest first: ${runs.slice(0, listedAtMost).join(', ')}${more}; ${elsewhere}`;
}

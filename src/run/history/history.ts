/**
 * The runs of a workspace: from the journals of this machine, and from the records in git, which other machines also
 * make.
 */
import { Git, GitError, type Repository } from '../../manifest/files/git.ts';
import { addressOfStep } from '../../plan/step-id.ts';
import type { History, HistoryRun, RunDetails, RunState } from '../../report/results/history.ts';
import { defined } from '../../util/defined.ts';
import type { JournalFolder } from '../journal/journal-folder.ts';
import { type JournaledRun, progressOf, tryReadJournal } from '../journal/read-journal.ts';
import { type LockMachine, processState } from '../lock/machine.ts';
import { type AppliedRecord, contentOf } from '../record/applied-record.ts';
import { recordCommits } from '../record/find-record.ts';
import type { Env } from '../workspace.ts';

export interface HistorySource {
  readonly cwd: string;
  readonly env: Env;
  readonly folder: JournalFolder;
  readonly machine: LockMachine;
}

const mostRuns = 50;
const mostRecords = 20;

/** `inGit`: journals of other machines. */
export async function readHistory(
  source: HistorySource,
  inGit: readonly JournaledRun[] = [],
): Promise<History> {
  const names = [...source.folder.runs()].reverse().slice(0, mostRuns);
  const journaled = names.map((name) => tryReadJournal(source.folder, name));
  const runs = new Map<string, HistoryRun>();
  for (const run of inGit) runs.set(run.header.run, entryOf(run, source.machine));
  for (const run of journaled) if (run !== undefined) runs.set(run.header.run, entryOf(run, source.machine));
  for (const record of await recordsIn(source)) addRecord(runs, record);
  const newest = [...runs.values()].sort((left, right) => (left.time < right.time ? 1 : -1));
  return {
    folder: source.folder.name,
    runs: newest.slice(0, mostRuns),
    unreadable: names.filter((_, at) => journaled[at] === undefined),
  };
}

export function detailsOf(run: JournaledRun, machine: LockMachine): RunDetails {
  const { header, outcomes, made, open } = run;
  return {
    about: entryOf(run, machine),
    host: header.host,
    steps: header.organizations.flatMap(({ label, steps }) =>
      steps.map(({ id, address, action, phase }) => ({
        organization: label,
        address,
        action,
        phase,
        outcome: outcomes.get(label)?.get(id) ?? ('notStarted' as const),
      })),
    ),
    created: [...made].flatMap(([organization, ids]) =>
      [...ids].map(([address, id]) => ({ organization, address, id })),
    ),
    unanswered: open.map(({ organization, step, operation, params }) => ({
      organization,
      address: addressOfStep(step),
      operation,
      params,
    })),
  };
}

function entryOf(run: JournaledRun, machine: LockMachine): HistoryRun {
  const { header } = run;
  return {
    run: header.run,
    time: header.time,
    command: header.command,
    organizations: header.organizations.map(({ label }) => label),
    state: stateOf(run, machine),
    service: header.service,
    digest: header.digest,
    ...progressOf(run),
    isRecorded: false,
    ...defined({ commit: header.commit, undoes: header.undoes }),
  };
}

function stateOf({ header, ending }: JournaledRun, machine: LockMachine): RunState {
  if (ending !== undefined) return ending.outcome;
  const states = { running: 'running', gone: 'died', unknown: 'unknown' } as const;
  return states[processState(header, machine)];
}

/** A record belongs to the journal of its run, if that is here. */
function addRecord(runs: Map<string, HistoryRun>, record: AppliedRecord): void {
  const { run, time, digest, commit, organization } = record;
  const known = runs.get(run);
  const organizations = [...new Set([...(known?.organizations ?? []), organization])];
  runs.set(run, {
    time,
    command: 'apply',
    state: 'complete',
    digest,
    ...known,
    run,
    commit,
    organizations,
    isRecorded: true,
  });
}

async function recordsIn({ cwd, env }: HistorySource): Promise<readonly AppliedRecord[]> {
  try {
    const repository = await new Git(env).repositoryOf(cwd);
    if (repository === undefined) return [];
    const { git, root } = repository;
    const refs = await git.lines(root, ['for-each-ref', '--format=%(objectname)', 'refs/octavo/applied/']);
    const chains = await Promise.all(refs.map((oid) => chainOf(repository, oid)));
    return chains.flat();
  } catch (error) {
    if (error instanceof GitError) return [];
    throw error;
  }
}

/** A record and those before it: each is the first parent of the next. */
async function chainOf(repository: Repository, oid: string): Promise<readonly AppliedRecord[]> {
  const { git, root } = repository;
  const chain = await git.lines(root, ['rev-list', '--first-parent', '-n', String(mostRecords), oid]);
  const records: AppliedRecord[] = [];
  for (const commit of await recordCommits(repository, chain)) {
    const content = contentOf(commit);
    if (content === undefined) break;
    records.push(content);
  }
  return records;
}

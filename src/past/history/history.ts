/** The runs of a workspace: from the journals of this machine, and from the records in git, which may come from other machines. */

import type { StepOutcome } from '../../apply/events.ts';
import { onGitError } from '../../manifest/files/repository.ts';
import type { Action, Phase } from '../../plan/plan.ts';
import { addressOfStep } from '../../plan/step-id.ts';
import { defined } from '../../util/defined.ts';
import { compareTexts } from '../../util/lists.ts';
import { RefStore } from '../git/ref-store.ts';
import type { RepositoryPlace } from '../journal/git-journals.ts';
import type { JournalStore } from '../journal/journal-folder.ts';
import { type JournaledRun, progressOf, tryReadJournal } from '../journal/read-journal.ts';
import { type LockMachine, processState } from '../lock/machine.ts';
import { type AppliedRecord, appliedRefs } from '../record/applied-record.ts';
import { headsOfRemote, recordsBefore } from '../record/find-record.ts';
import type { RecordedRuns } from './value-history.ts';

/** `unknown`: no end is recorded, and the process is on another machine. */
export type RunState = 'complete' | 'incomplete' | 'interrupted' | 'failed' | 'died' | 'running' | 'unknown';

/** Facts of the journal are absent if there is only a record. */
export interface HistoryRun extends Pick<AppliedRecord, 'who' | 'approval' | 'exemptions'> {
  readonly run: string;
  /** Start of the run or time of the record, as ISO 8601. */
  readonly time: string;
  readonly command: string;
  readonly organizations: readonly string[];
  readonly state: RunState;
  readonly digest: string;
  readonly service?: string;
  readonly commit?: string;
  readonly undoes?: string;
  readonly steps?: number;
  readonly done?: number;
  /** True if git has a record of the run. */
  readonly isRecorded: boolean;
}

export interface History {
  readonly folder: string;
  readonly runs: readonly HistoryRun[];
  readonly unreadable: readonly string[];
}

interface AddressInRun {
  readonly organization: string;
  readonly address: string;
}

export interface StepDetails extends AddressInRun {
  readonly action: Action;
  readonly phase: Phase;
  readonly outcome: StepOutcome;
}

export interface RunDetails {
  readonly about: HistoryRun;
  readonly host: string;
  readonly steps: readonly StepDetails[];
  readonly created: readonly (AddressInRun & { readonly id: string })[];
  readonly unanswered: readonly (AddressInRun & Pick<JournaledRun['open'][number], 'operation' | 'params'>)[];
}

export interface HistorySource extends RepositoryPlace {
  readonly store: JournalStore;
  readonly machine: LockMachine;
}

const mostRuns = 50;

export interface HistoryScope {
  readonly inGit?: readonly JournaledRun[];
  /** Reads every record, not only the records of the latest runs. */
  readonly all?: boolean | undefined;
}

export async function readHistory(
  source: HistorySource,
  { inGit = [], all = false }: HistoryScope = {},
): Promise<History> {
  const most = all ? Number.POSITIVE_INFINITY : mostRuns;
  const names = [...source.store.runs()].reverse().slice(0, most);
  const journaled = names.map((name) => tryReadJournal(source.store, name));
  const runs = new Map<string, HistoryRun>();
  for (const run of inGit) runs.set(run.header.run, entryOf(run, source.machine));
  for (const run of journaled) if (run !== undefined) runs.set(run.header.run, entryOf(run, source.machine));
  const records = await recordsIn(source, all).catch(onGitError(() => []));
  for (const record of records) addRecord(runs, record);
  const newest = [...runs.values()].sort((left, right) => (left.time < right.time ? 1 : -1));
  return {
    folder: source.store.name,
    runs: newest.slice(0, most),
    unreadable: names.filter((_, at) => journaled[at] === undefined),
  };
}

/** Adds the records of the run, here or in the remote. */
export async function detailsOf(run: JournaledRun, source: HistorySource): Promise<RunDetails> {
  const { header, outcomes, made, open } = run;
  const about = new Map([[header.run, entryOf(run, source.machine)]]);
  const records = await recordsIn(source, true).catch(onGitError(() => []));
  for (const record of records) if (record.run === header.run) addRecord(about, record);
  return {
    about: about.get(header.run) ?? entryOf(run, source.machine),
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

/** The runs of each organization, from the records, here and in the remote, and from the journals. */
export async function runsByOrganization(
  source: HistorySource,
  { inGit = [], all = false }: HistoryScope,
): Promise<readonly RecordedRuns[]> {
  const records = [...(await recordsIn(source, all).catch(onGitError(() => [])))];
  records.sort((left, right) => compareTexts(right.time, left.time));
  const here = source.store.runs().flatMap((name) => tryReadJournal(source.store, name) ?? []);
  const journals = [...new Map([...inGit, ...here].map((run) => [run.header.run, run])).values()];
  const ofRun = ({ header }: JournaledRun) => header.organizations.map(({ label }) => label);
  const labels = new Set([...records.map(({ organization }) => organization), ...journals.flatMap(ofRun)]);
  const recordsOf = (label: string) => records.filter(({ organization }) => organization === label);
  return [...labels].sort().map((label) => ({
    label,
    records: recordsOf(label),
    isPart: !all && recordsOf(label).length >= mostRuns,
    journals: journals.filter((run) => ofRun(run).includes(label)),
  }));
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

/** A record is added to the journal of its run, if that is here. */
function addRecord(runs: Map<string, HistoryRun>, record: AppliedRecord): void {
  const { run, time, digest, commit, organization, who, approval, exemptions = [] } = record;
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
    ...defined({ who, approval }),
    exemptions: [...(known?.exemptions ?? []), ...exemptions],
  });
}

/** Includes the remote's records, which are shown but not stored. */
async function recordsIn(
  { cwd, openRepository }: HistorySource,
  all: boolean,
): Promise<readonly AppliedRecord[]> {
  const repository = await openRepository(cwd);
  if (repository === undefined) return [];
  const here = await new RefStore(repository).here([appliedRefs]);
  const there = await headsOfRemote(repository).catch(onGitError(() => []));
  const records = new Map<string, AppliedRecord>();
  for (const oid of new Set([...here.values(), ...there]))
    for await (const { oid: commit, content } of recordsBefore(repository, oid, all))
      records.set(commit, content);
  return [...records.values()];
}

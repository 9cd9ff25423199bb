/**
 * Unfinished runs of this workspace, of this machine and in git: their work is known by object, and the next plan warns of runs that
 * died.
 */

import { registry } from '../../kinds/index.ts';
import { ownWorkOf } from '../../plan/own/own-work-of.ts';
import type { PendingChange } from '../../plan/past.ts';
import type { Leftover } from '../../plan/plan.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { joinOwnWork, noOwnWork, type OwnWork } from '../../tree/own-work.ts';
import { countOf, someOf } from '../../util/count.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { append } from '../../util/lists.ts';
import { type LockMachine, processState } from '../lock/machine.ts';
import type { JournalEnding } from './entry.ts';
import type { JournalStore } from './journal-folder.ts';
import { appendEnding } from './journal-writer.ts';
import { type JournaledRun, progressOf, tryReadEnding, tryReadJournal } from './read-journal.ts';

export interface JournalSource {
  readonly store: JournalStore;
  readonly service: string;
  readonly machine: LockMachine;
  readonly now: () => Date;
}

export interface UnfinishedRuns {
  /** Runs since the last recorded or complete one of each organization, and those whose work it left over, by label; newest first. */
  readonly runs: ReadonlyMap<string, readonly UnfinishedRun[]>;
  /** Runs without an end that are not running anymore. Newest first. */
  readonly died: readonly JournaledRun[];
  /** Pending changes at the end of each organization's last ended run. */
  readonly pending: ReadonlyMap<string, PendingAt>;
  /** Ids of the objects that unrecorded undos made again. */
  readonly restored: readonly string[];
}

export interface UnfinishedRun extends JournaledRun {
  /** False if it may still be running. */
  readonly isOver: boolean;
}

export interface PendingAt {
  readonly time: string;
  readonly deletions: readonly PendingChange[];
}

/** Time in milliseconds without an entry after which a run elsewhere counts as dead. */
const silentFor = 3_600_000;

/**
 * `inGit`: ended runs from git, which are trusted no more than records. `since`: the last recorded run of each organization, if any;
 * a later one is not done until it is recorded, even if it is complete. Unreadable journals are skipped.
 */
export function unfinishedRuns(
  source: JournalSource,
  trees: readonly Pick<DesiredTree, 'label'>[],
  {
    inGit = [],
    since = new Map(),
  }: {
    readonly inGit?: readonly JournaledRun[];
    readonly since?: ReadonlyMap<string, string | undefined>;
  } = {},
): UnfinishedRuns {
  /** Names of runs, or undefined for all earlier ones. */
  const open = new Map<string, readonly string[] | undefined>(trees.map(({ label }) => [label, undefined]));
  const undone = new Set<string>();
  const recorded = new Set<string>();
  const runs = new Map<string, UnfinishedRun[]>();
  const died: JournaledRun[] = [];
  const restored: string[] = [];
  const pending = new Map<string, PendingAt>();
  const others = new Map(inGit.map((run) => [run.header.run, run]));
  for (const name of [...new Set([...source.store.runs(), ...others.keys()])].sort().reverse()) {
    const other = others.get(name);
    const read = () => other ?? tryReadJournal(source.store, name);
    const ending = other?.ending ?? tryReadEnding(source.store, name);
    takePending(pending, source, ending);
    const isComplete = ending?.outcome === 'complete';
    if (isComplete && ending.service !== source.service) continue;
    const isOpen = (label: string) => open.has(label) && open.get(label)?.includes(name) !== false;
    const isUnrecorded = (label: string) => name > (since.get(label) ?? name);
    if (isComplete && ending.undoes !== undefined) {
      undone.add(ending.undoes);
      append(restored, madeBy(read, trees.map(({ label }) => label).filter(isUnrecorded)));
    }
    const own = isComplete
      ? closeEarlier(isUnrecorded, [open, recorded], ending)
      : [...open.keys()].filter(isOpen);
    if (own.length === 0) continue;
    const run = read();
    if (run?.header.service !== source.service) continue;
    if (undone.has(name) || undone.has(run.header.undoes ?? '')) continue;
    const labels = run.header.organizations.flatMap(({ label }) => (own.includes(label) ? [label] : []));
    const isOver = run.ending !== undefined || other !== undefined || hasDied(source, run);
    if (labels.length > 0 && run.ending === undefined && isOver) died.push(run);
    for (const label of labels) push(runs, label, { ...run, isOver });
  }
  return { runs, died, pending, restored };
}

function madeBy(read: () => JournaledRun | undefined, on: readonly string[]): readonly string[] {
  const made = on.length === 0 ? [] : [...(read()?.made ?? [])];
  return made.flatMap(([label, ids]) => (on.includes(label) ? [...ids.values()] : []));
}

/**
 * A complete run leaves no unfinished work, but for what its plan named as left over. An undo only ends the run that it undoes. Returns
 * the organizations where it is not recorded: because of what it left over, if no later one is, or because its end was cut off.
 */
function closeEarlier(
  isUnrecorded: (label: string) => boolean,
  [open, recorded]: readonly [Map<string, readonly string[] | undefined>, Set<string>],
  { organizations = [], leftover = {}, undoes }: JournalEnding,
): readonly string[] {
  if (undoes !== undefined) return [];
  for (const label of organizations) {
    const left = leftover[label] ?? [];
    if (left.length === 0) recorded.add(label);
    if (open.has(label)) open.set(label, open.get(label)?.filter((run) => left.includes(run)) ?? left);
  }
  return organizations.filter((label) => open.has(label) && (!recorded.has(label) || isUnrecorded(label)));
}

/** The work of unfinished runs on an organization after the given run; undefined if there is none. */
export function ownWorkSince(
  { runs, restored }: UnfinishedRuns,
  label: string,
  since: string | undefined,
): OwnWork | undefined {
  const later = runs.get(label)?.filter(({ header }) => header.run > (since ?? '')) ?? [];
  if (later.length + restored.length === 0) return undefined;
  const none = restored.length === 0 ? noOwnWork : { ...noOwnWork, restored };
  return later
    .map((run) => {
      const work = workOn(label, run);
      // The plan of a complete run may have other ids at addresses of the runs that it left over.
      const isAbove = (run.ending?.leftover?.[label] ?? []).length > 0;
      return isAbove ? { ...noOwnWork, objects: work.objects } : work;
    })
    .reduceRight((older, one) => joinOwnWork(one, older), none);
}

export function workOn(label: string, run: UnfinishedRun): OwnWork {
  const { header, isOver, made, refused, outcomes, touched } = run;
  const plan = header.organizations.find((one) => one.label === label);
  const { ids = {}, steps = [], unmanaged } = plan ?? {};
  const ended = [...(outcomes.get(label) ?? [])];
  const done = new Set(ended.flatMap(([id, outcome]) => (outcome === 'done' ? [id] : [])));
  // An object whose creation was rejected belongs to someone else.
  const own = [...(made.get(label) ?? [])].filter(([address]) => refused.get(label)?.has(address) !== true);
  const response = (id: string) => (run.accepted.get(label)?.has(id) === true ? 'without-id' : 'lost');
  return ownWorkOf(
    {
      ...{ run: header.run, since: header.time, isOver, ids, steps, done },
      ...{ made: new Map(own), unmanaged },
      responseOf: run.isBeginning === true ? () => 'unknown' : response,
      touched: new Set([
        ...(run.isBeginning === true ? steps.map(({ id }) => id) : (touched.get(label) ?? [])),
        ...done,
      ]),
    },
    registry,
  );
}

/** A run's pending changes include earlier ones, so the newest run counts. */
function takePending(
  found: Map<string, PendingAt>,
  { service }: JournalSource,
  ending: JournalEnding | undefined,
): void {
  if (ending?.service !== service) return;
  const { time, pending = {}, organizations = [] } = ending;
  for (const label of organizations)
    if (!found.has(label)) found.set(label, { time, deletions: pending[label] ?? [] });
}

/** A process elsewhere, such as in another container, is not visible: the run counts as dead after a long silence. */
export function hasDied(
  { machine, now }: Pick<JournalSource, 'machine' | 'now'>,
  { header, lastEntry }: JournaledRun,
): boolean {
  const state = processState(header, machine);
  if (state !== 'unknown') return state === 'gone';
  return now().getTime() - Date.parse(lastEntry) > silentFor;
}

export function diedNote(died: JournaledRun): Diagnostic {
  const { header, made, open } = died;
  const { command, run, time } = header;
  const { steps: total, done } = progressOf(died);
  const created = [...made.values()].flatMap((ids) => [...ids].map(([address, id]) => `${address} (${id})`));
  const parts = [
    `${done} of ${countOf(total, 'step')} done`,
    ...(created.length === 0 ? [] : [`created ${someOf(created, 5)}`]),
    ...(open.length === 0
      ? []
      : [`${someOf([...new Set(open.map(({ operation }) => operation))], 5)} may have been carried out`]),
  ];
  return {
    severity: 'warning',
    code: 'unfinished-run',
    message: `octavo ${command} of ${time} (run ${run}) ended without a result: ${parts.join('; ')}`,
    suggestion: `see what it did: octavo history ${run}; apply to continue, its ids are used`,
  };
}

/** Ends the journals of runs that died, after a warning during an apply: later runs do not report them again. */
export function endDied(store: JournalStore, died: readonly JournaledRun[], now: () => Date): void {
  for (const { header, ref } of died) if (ref === undefined) appendEnding(store, header.run, now());
}

export function leftoverNote(run: string, left: readonly Leftover[]): Diagnostic {
  const objects = left.flatMap(({ address, id, fields }) =>
    fields === undefined ? [`${address} (${id})`] : [],
  );
  const fields = left.flatMap(({ address, fields: names }) =>
    names === undefined ? [] : [`${names.join(', ')} of ${address}`],
  );
  const parts = [
    ...(objects.length === 0 ? [] : [`what it created: ${someOf(objects, 5)}`]),
    ...(fields.length === 0 ? [] : [`what it set: ${someOf(fields, 5)}`]),
  ];
  return {
    severity: 'warning',
    code: 'unfinished-run',
    message: `run ${run} is not recorded; no manifest declares ${parts.join('; nor ')}`,
    suggestion: `take it back: octavo undo ${run}; or keep it: declare it${objects.length === 0 ? '' : ', objects with their ids'}`,
  };
}

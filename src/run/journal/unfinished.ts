/**
 * Unfinished runs of this workspace, of this machine and in git: objects that they created are recognized by the recorded ids,
 * their own changes are not drift, and the next plan warns of runs that died.
 */

import type { PendingChange } from '../../plan/pending.ts';
import type { Leftover, Step } from '../../plan/plan.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { countOf } from '../../util/count.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { type LockMachine, processState } from '../lock/machine.ts';
import type { JournalFolder } from './journal-folder.ts';
import { appendEnding } from './journal-writer.ts';
import {
  type JournalEnding,
  type JournaledRun,
  progressOf,
  tryReadEnding,
  tryReadJournal,
} from './read-journal.ts';

export interface JournalSource {
  readonly folder: JournalFolder;
  readonly service: string;
  readonly machine: LockMachine;
  readonly now: () => Date;
}

export interface UnfinishedRuns {
  readonly ids: ReadonlyMap<string, { readonly time: string; readonly ids: ReadonlyMap<string, string> }>;
  /** Objects that runs created before they failed, by label; newest first. */
  readonly created: ReadonlyMap<string, readonly Leftover[]>;
  /** Runs without an end that are not running anymore. Newest first. */
  readonly died: readonly JournaledRun[];
  /** Pending changes at the end of each organization's last ended run. */
  readonly pending: ReadonlyMap<string, PendingAt>;
  /** Steps that may have changed something since the record, by label. */
  readonly begun: ReadonlyMap<string, readonly Step[]>;
}

export interface OtherRuns {
  /** Ended runs from git, which are trusted no more than records. */
  readonly inGit?: readonly JournaledRun[];
  /** Run of the last record of each organization, by label. */
  readonly since?: ReadonlyMap<string, string | undefined>;
}

export interface PendingAt {
  readonly time: string;
  readonly deletions: readonly PendingChange[];
}

/** Time in milliseconds without an entry after which a run elsewhere counts as dead. */
const silentFor = 3_600_000;

/**
 * Runs since the last complete one of each organization, and the objects that any unfinished run created. Unreadable
 * journals are skipped.
 */
export function unfinishedRuns(
  source: JournalSource,
  trees: readonly Pick<DesiredTree, 'label'>[],
  { inGit = [], since = new Map() }: OtherRuns = {},
): UnfinishedRuns {
  const open = new Set(trees.map(({ label }) => label));
  const found = new Map<string, { time: string; ids: Map<string, string> }>();
  const died: JournaledRun[] = [];
  const created = new Map<string, Leftover[]>();
  const pending = new Map<string, PendingAt>();
  const begun = new Map<string, Step[]>();
  const others = new Map(inGit.map((run) => [run.header.run, run]));
  for (const name of [...new Set([...source.folder.runs(), ...others.keys()])].sort().reverse()) {
    const other = others.get(name);
    const ending = other?.ending ?? tryReadEnding(source.folder, name);
    takePending(pending, source, ending);
    const completed = completedIn(source, ending);
    if (completed !== undefined) {
      for (const label of completed) open.delete(label);
      continue;
    }
    const run = other ?? tryReadJournal(source.folder, name);
    if (run?.header.service !== source.service) continue;
    const labels = run.header.organizations.map(({ label }) => label).filter((label) => open.has(label));
    const isOver = run.ending !== undefined || hasDied(source, run);
    if (labels.length > 0 && run.ending === undefined && isOver) died.push(run);
    for (const label of labels) {
      takeIds(found, run, label);
      if (isOver && name > (since.get(label) ?? ''))
        begun.set(label, [...(begun.get(label) ?? []), ...begunIn(run, label)]);
    }
    if (isOver) takeCreated(created, run);
  }
  return { ids: found, created, died, pending, begun };
}

function begunIn({ header, outcomes, open }: JournaledRun, label: string): readonly Step[] {
  const steps = header.organizations.find((one) => one.label === label)?.steps ?? [];
  return steps.filter(({ id, phase }) => {
    const outcome = outcomes.get(label)?.get(id);
    if (phase === 'delete') return outcome === 'done';
    if (outcome === undefined) return open.some((one) => one.organization === label && one.step === id);
    return outcome !== 'notStarted' && outcome !== 'skipped' && outcome !== 'satisfied';
  });
}

/** Marks fields of the base that unfinished runs may have changed since: their differences are not drift. */
export function withBegun(base: DesiredTree, begun: readonly Step[] = []): DesiredTree {
  const nodes = new Map(base.nodes);
  for (const { address, kind, phase, fields } of begun) {
    const node = nodes.get(address);
    if (node?.kind !== kind) continue;
    const names = [...fields.map(({ field }) => field), `#${phase}`];
    nodes.set(address, { ...node, begun: [...(node.begun ?? []), ...names] });
  }
  return base.with({ nodes });
}

/** Labels of the organizations of a complete run, which has no unfinished work; undefined for other runs. */
function completedIn(
  { service }: JournalSource,
  ending: JournalEnding | undefined,
): readonly string[] | undefined {
  if (ending?.outcome !== 'complete') return undefined;
  return ending.service === service ? (ending.organizations ?? []) : [];
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

/** Collects objects of create steps; an object whose creation was rejected belongs to someone else. */
function takeCreated(created: Map<string, Leftover[]>, { header, made, refused }: JournaledRun): void {
  for (const { label, steps } of header.organizations) {
    const own = new Map(
      steps.flatMap(({ address, kind, action }) => (action === 'create' ? [[address, kind]] : [])),
    );
    for (const [address, id] of made.get(label) ?? []) {
      const kind = own.get(address);
      if (kind === undefined || refused.get(label)?.has(address) === true) continue;
      push(created, label, { address, kind, id, run: header.run });
    }
  }
}

/** A process elsewhere, such as in another container, is not visible: the run counts as dead after a long silence. */
function hasDied({ machine, now }: JournalSource, { header, lastEntry }: JournaledRun): boolean {
  const state = processState(header, machine);
  if (state !== 'unknown') return state === 'gone';
  return now().getTime() - Date.parse(lastEntry) > silentFor;
}

/** Newer runs come first and take precedence. */
function takeIds(
  found: Map<string, { time: string; ids: Map<string, string> }>,
  { header, made }: JournaledRun,
  label: string,
): void {
  const known = found.get(label) ?? { time: header.time, ids: new Map<string, string>() };
  found.set(label, known);
  const planned = header.organizations.find((one) => one.label === label)?.ids ?? {};
  for (const [address, id] of [...(made.get(label) ?? []), ...Object.entries(planned)]) {
    if (!known.ids.has(address)) known.ids.set(address, id);
  }
}

export function diedNote(died: JournaledRun): Diagnostic {
  const { header, made, open } = died;
  const { command, run, time } = header;
  const { steps: total, done } = progressOf(died);
  const created = [...made.values()].flatMap((ids) => [...ids].map(([address, id]) => `${address} (${id})`));
  const parts = [
    `${done} of ${countOf(total, 'step')} done`,
    ...(created.length === 0 ? [] : [`created ${some(created)}`]),
    ...(open.length === 0
      ? []
      : [`${some([...new Set(open.map(({ operation }) => operation))])} may have been carried out`]),
  ];
  return {
    severity: 'warning',
    code: 'unfinished-run',
    message: `octavo ${command} of ${time} (run ${run}) ended without a result: ${parts.join('; ')}`,
    suggestion: `see what it did: octavo history ${run}; apply to continue, its ids are used`,
  };
}

function some(texts: readonly string[]): string {
  const more = texts.length - 5;
  return more > 0 ? `${texts.slice(0, 5).join(', ')} and ${more} more` : texts.join(', ');
}

/** Ends the journals of runs that died, after a warning during an apply: later runs do not report them again. */
export async function endDied(
  folder: JournalFolder,
  died: readonly JournaledRun[],
  now: () => Date,
): Promise<void> {
  for (const { header } of died) await appendEnding(folder.fileOf(header.run), now());
}

export function leftoverNote(run: string, left: readonly Leftover[]): Diagnostic {
  const objects = some(left.map(({ address, id }) => `${address} (${id})`));
  return {
    severity: 'warning',
    code: 'unfinished-run',
    message: `run ${run} was not completed; no manifest declares what it created: ${objects}`,
    suggestion: `delete what it created: octavo undo ${run}; or keep it: declare it with its id`,
  };
}

/** Reads journals. A journal may end anywhere, like its run: its complete lines count. */

import type { StepOutcome } from '../../apply/events.ts';
import { registry } from '../../kinds/index.ts';
import { addressOfStep } from '../../plan/step-id.ts';
import { defined } from '../../util/defined.ts';
import { isRecord, parsedJson } from '../../util/json.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { systemReason, userError } from '../../util/user-error.ts';
import {
  endingSchema,
  type JournalEnding,
  type JournalEntry,
  type JournalHeader,
  journalEntrySchema,
  notKept,
} from './entry.ts';
import { isRunId, type JournalStore } from './journal-folder.ts';

export interface JournaledRun {
  readonly header: JournalHeader;
  /** Source ref; anyone with push access to it may have written the journal. */
  readonly ref?: string;
  /** Only the plan of the run is known, as it was kept before the first request. */
  readonly isBeginning?: true;
  /** Lines are missing, so created objects may be unknown. */
  readonly isPartial?: true;
  /** Absent for a run that died, or still runs. */
  readonly ending?: JournalEnding;
  /** Time of the last line, as ISO 8601. */
  readonly lastEntry: string;
  /** Keyed by organization label and step id; a later entry replaces an earlier one. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, StepOutcome>>;
  readonly made: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Addresses whose creation the service rejected, by organization label: an object found there belongs to someone else. */
  readonly refused: ReadonlyMap<string, ReadonlySet<string>>;
  readonly sent: number;
  /** Ids of steps of which a request may have taken effect, by organization label. */
  readonly touched: ReadonlyMap<string, ReadonlySet<string>>;
  /** Ids of steps whose create was accepted without an id, by organization label. */
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>;
  /** Requests that were about to be sent, without any outcome, as `organization`, `step` and `operation`. */
  readonly open: readonly Extract<JournalEntry, { type: 'request' }>[];
}

/** @throws DiagnosticError if the journal is missing or invalid. */
export function readJournal(store: JournalStore, run: string): JournaledRun {
  const wrong = (reason: string) =>
    userError('journal', `cannot read the journal of ${run} in ${store.name}: ${reason}`);
  let text: string;
  try {
    text = store.text(run);
  } catch (error) {
    throw wrong(systemReason(error) ?? String(error));
  }
  // The run may have died while writing the last line.
  const lines = text.split('\n').filter((line, at, all) => at === all.length - 1 || line.trim() !== '');
  const entries = lines.map((line) => entryOf(line));
  const [first, ...rest] = entries.flatMap((entry) => entry ?? []);
  if (first?.type !== 'run') throw wrong('its first line is missing or damaged');
  const problem = foreignEntry(first);
  if (problem !== undefined) throw wrong(problem);
  const isEmpty = rest.every((entry) => entry.type === 'end' && entry.outcome === 'died');
  const isPartial = isEmpty || entries.slice(0, -1).includes(undefined);
  return { ...runOf(first, rest), ...(isPartial ? { isPartial } : {}) };
}

/** Names that no run writes. */
function foreignEntry({ organizations, undo }: JournalHeader): string | undefined {
  const labels = new Set(organizations.map(({ label }) => label));
  const strange = undo.find(({ label }) => !labels.has(label));
  if (strange !== undefined)
    return `it has prior values of ${JSON.stringify(strange.label)}, which its plan does not have`;
  const kinds = new Set(registry.kinds.map(({ name }) => name));
  const objects = [
    ...organizations.flatMap(({ steps }) => steps),
    ...undo.flatMap(({ before, after }) => [...before.nodes, ...after.nodes]),
  ];
  const unknown = objects.find(({ kind }) => !kinds.has(kind));
  return (
    unknown && `it has a ${JSON.stringify(unknown.kind)} at ${unknown.address}, and there is no such kind`
  );
}

export function progressOf({ header, outcomes }: JournaledRun) {
  const ended = [...outcomes.values()].flatMap((steps) => [...steps.values()]);
  return {
    steps: header.organizations.reduce((sum, { steps }) => sum + steps.length, 0),
    done: ended.filter((outcome) => outcome === 'done' || outcome === 'satisfied').length,
  };
}

/**
 * Reads a journal that anyone with push access may have written: each line must be valid, and the lines must form one complete run, or
 * only its plan.
 * Drops templates of secrets, since a forged one could send any environment variable to the service.
 * @throws DiagnosticError for content that no run can have written.
 */
export function readForeignJournal(
  text: string,
  { run, ref }: { readonly run: string; readonly ref: string },
) {
  const wrong = (reason: string) =>
    userError(
      'journal',
      `the journal of ${run} in ${ref} was not written by octavo apply: ${reason}`,
      `find out who pushed ${ref}`,
    );
  const entries = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, at) => {
      const entry = entryOf(line, (_key, value) =>
        isRecord(value) && '$secret' in value ? { $secret: notKept } : value,
      );
      if (entry === undefined) throw wrong(`line ${at + 1} does not have the form of a journal`);
      return entry;
    });
  const [header, ...rest] = entries;
  if (header?.type !== 'run') throw wrong('it does not begin with a plan');
  const problem = flawIn(header, rest, run);
  if (problem !== undefined) throw wrong(problem);
  return { ...runOf(header, rest), ref, ...(rest.length === 0 ? { isBeginning: true as const } : {}) };
}

function flawIn(header: JournalHeader, rest: readonly JournalEntry[], run: string): string | undefined {
  const { organizations, commit, base, undoes, command, version, time, host } = header;
  if (header.run !== run) return `it is about run ${JSON.stringify(header.run.slice(0, 40))}`;
  const commits = [commit, base].filter((one) => one !== undefined);
  if (!commits.every((one) => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(one))) return 'its commit is not one';
  if (undoes !== undefined && !isRunId(undoes)) return 'it undoes no run';
  const isPlain = /^[a-z]{1,20}$/.test(command) && /^[\w.+() -]{1,40}$/.test(version) && host.length <= 255;
  if (!isPlain || Number.isNaN(Date.parse(time))) return 'its first line has invalid values';
  const labels = new Set(organizations.map(({ label }) => label));
  if (labels.size !== organizations.length) return 'it names an organization twice';
  const strange = foreignEntry(header);
  if (strange !== undefined) return strange;
  const named = rest.flatMap((entry) => ('organization' in entry ? [entry.organization] : []));
  if (!named.every((label) => labels.has(label)))
    return 'it is about organizations that its plan does not have';
  const ends = rest.flatMap(({ type }, at) => (type === 'end' || type === 'run' ? [at] : []));
  const isWhole = ends.length === 1 && rest.at(-1)?.type === 'end';
  return isWhole || rest.length === 0 ? undefined : 'it is not one whole run';
}

export function beginOfRun(run: string): number {
  return Number.parseInt(run.split('-')[1] ?? '', 36);
}

export function tryReadJournal(store: JournalStore, run: string): JournaledRun | undefined {
  try {
    return readJournal(store, run);
  } catch {
    return undefined;
  }
}

/** Reads only the last line of a journal; undefined if it does not end the run or cannot be read. */
export function tryReadEnding(store: JournalStore, run: string): JournalEnding | undefined {
  try {
    return endingSchema().safeParse(JSON.parse(store.lastLine(run))).data;
  } catch {
    return undefined;
  }
}

function entryOf(line: string, reviver?: (key: string, value: unknown) => unknown): JournalEntry | undefined {
  return journalEntrySchema().safeParse(parsedJson(line, reviver)).data;
}

function runOf(header: JournalHeader, entries: readonly JournalEntry[]): JournaledRun {
  const outcomes = new Map<string, Map<string, StepOutcome>>();
  const made = new Map<string, Map<string, string>>();
  /** Steps of the calls that may have taken effect. */
  const effective = new Map<string, Map<string, string>>();
  const open = new Map<string, Extract<JournalEntry, { type: 'request' }>>();
  const refused = new Map<string, Set<string>>();
  const accepted = new Map<string, Set<string>>();
  const setOf = (all: Map<string, Set<string>>, label: string) => rememberedIn(all, label, () => new Set());
  for (const entry of entries) {
    if (entry.type !== 'request' && entry.type !== 'response' && entry.type !== 'step') continue;
    const { organization, step } = entry;
    const address = addressOfStep(step);
    if ('id' in entry && entry.id !== undefined)
      rememberedIn(made, organization, () => new Map()).set(address, entry.id);
    if (entry.type === 'step') rememberedIn(outcomes, organization, () => new Map()).set(step, entry.outcome);
    if (entry.type === 'step') continue;
    const call = `${organization} ${step} ${entry.call}`;
    const calls = rememberedIn(effective, organization, () => new Map());
    if (entry.type === 'request') {
      calls.set(call, step);
      open.set(call, entry);
      continue;
    }
    const { outcome, id } = entry;
    if (outcome === 'failed') calls.delete(call);
    else calls.set(call, step);
    if (outcome !== 'unknown') open.delete(call);
    if (!step.endsWith('#create')) continue;
    setOf(refused, organization)[outcome === 'failed' ? 'add' : 'delete'](address);
    if (id === undefined && (outcome === 'done' || outcome === 'pending'))
      setOf(accepted, organization).add(step);
  }
  const touched = new Map([...effective].map(([label, calls]) => [label, new Set(calls.values())]));
  const sent = entries.filter(({ type }) => type === 'request').length;
  const ending = entries.findLast((entry) => entry.type === 'end');
  const lastEntry = entries.at(-1)?.time ?? header.time;
  const run = { header, lastEntry, outcomes, made, sent, touched, refused, accepted };
  return { ...run, open: [...open.values()], ...defined({ ending }) };
}

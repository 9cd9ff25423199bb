/** The runs of a workspace as text and as JSON. Pure. */
import type { Action, Phase } from '../plan/plan.ts';
import { countOf } from '../util/count.ts';
import { stableStringify } from '../util/json.ts';
import { append, greatest } from '../util/lists.ts';
import { phaseWords } from './outcome-line.ts';
import type { TextOptions } from './plan-text.ts';
import { padEnd, safeText } from './safe-text.ts';
import { makeStyle } from './style.ts';

/** How a run ended. `unknown`: it has not ended, and its process is on another machine. */
export type RunState = 'complete' | 'incomplete' | 'interrupted' | 'failed' | 'died' | 'running' | 'unknown';

/** One run. What only its journal knows is absent where there is only a record. */
export interface HistoryRun {
  readonly run: string;
  /** When it began, or was recorded, as ISO 8601. */
  readonly time: string;
  readonly command: string;
  readonly organizations: readonly string[];
  readonly state: RunState;
  readonly digest: string;
  readonly service?: string;
  /** The commit of the manifests. */
  readonly commit?: string;
  /** The run that it undoes. */
  readonly undoes?: string;
  readonly steps?: number;
  readonly done?: number;
  /** True where git holds a record of it. */
  readonly isRecorded: boolean;
}

/** The runs of a workspace, newest first. */
export interface History {
  /** Where the journals are. */
  readonly folder: string;
  readonly runs: readonly HistoryRun[];
  /** Journals that are damaged. */
  readonly unreadable: readonly string[];
}

/** How a step of a run ended. */
export interface StepDetails {
  readonly organization: string;
  readonly address: string;
  readonly action: Action;
  readonly phase: Phase;
  readonly outcome: 'done' | 'satisfied' | 'failed' | 'unknown' | 'skipped' | 'notStarted';
}

/** One run with all of its steps. */
export interface RunDetails {
  readonly about: HistoryRun;
  readonly host: string;
  readonly steps: readonly StepDetails[];
  /** Objects that the run created or found. */
  readonly created: readonly {
    readonly organization: string;
    readonly address: string;
    readonly id: string;
  }[];
  /** Requests whose responses never came. */
  readonly unanswered: readonly {
    readonly organization: string;
    readonly address: string;
    readonly operation: string;
    readonly params: Readonly<Record<string, string>>;
  }[];
}

const stateWords: Readonly<Record<RunState, string>> = {
  complete: 'complete',
  incomplete: 'incomplete',
  interrupted: 'interrupted',
  failed: 'failed',
  died: 'ended without a result',
  running: 'running',
  unknown: 'not ended',
};

const outcomeWords: Readonly<Record<StepDetails['outcome'], readonly [sign: string, word: string]>> = {
  done: ['✓', ''],
  satisfied: ['-', 'not needed'],
  failed: ['✗', 'failed'],
  unknown: ['?', 'unknown'],
  skipped: ['-', 'skipped'],
  notStarted: ['-', 'not started'],
};

/** All runs, or one. */
export function historyText(history: History | RunDetails, options: TextOptions): string {
  return 'about' in history ? renderRun(history, options) : renderHistory(history, options);
}

/** One line a run; ends with a line break. */
function renderHistory({ folder, runs, unreadable }: History, options: TextOptions): string {
  const style = makeStyle(options);
  const damaged =
    unreadable.length === 0
      ? []
      : [`${countOf(unreadable.length, 'journal')} in ${folder} cannot be read: ${unreadable.join(', ')}`];
  if (runs.length === 0) return `${[`No runs in ${folder}.`, ...damaged].join('\n')}\n`;
  const cells = runs.map(rowOf);
  const widths = [0, 1, 2, 3].map((at) => greatest(cells.map((row) => row[at]?.length ?? 0)));
  const lines = cells.map((row) => {
    const [name = '', ...rest] = row.map((cell, at) => (at < 4 ? padEnd(cell, widths[at] ?? 0) : cell));
    return [style.strong(name), ...rest].join('  ').trimEnd();
  });
  return `${[...lines, ...damaged].join('\n')}\n`;
}

/** Run, time, command, state, and the rest. */
function rowOf(run: HistoryRun): readonly string[] {
  const { steps, done, commit, undoes, organizations, isRecorded } = run;
  const rest = [
    ...(steps === undefined ? [] : [`${done ?? 0} of ${countOf(steps, 'step')}`]),
    some(organizations),
    ...(commit === undefined ? [] : [commit.slice(0, 10)]),
    ...(isRecorded ? ['recorded'] : []),
    ...(undoes === undefined ? [] : [`undo of ${undoes}`]),
  ];
  return [
    run.run,
    run.time.slice(0, 19).replace('T', ' '),
    run.command,
    stateWords[run.state],
    rest.join(', '),
  ].map((cell) => safeText(cell));
}

function some(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

/** What a run did, step by step; ends with a line break. */
function renderRun(details: RunDetails, options: TextOptions): string {
  const { about, host, steps, created, unanswered } = details;
  const style = makeStyle(options);
  const nameOf = (organization: string, address: string) =>
    safeText(about.organizations.length > 1 ? `${organization}/${address}` : address);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [
      'Command',
      `octavo ${about.command}${about.undoes === undefined ? '' : ` (${about.undoes})`} on ${host}`,
    ],
    ['Began', about.time],
    ['Result', `${stateWords[about.state]}, ${about.done ?? 0} of ${countOf(steps.length, 'step')} done`],
    ['Service', about.service],
    ['Organizations', about.organizations.join(', ')],
    ['Commit', about.commit],
    ['Digest', about.digest.slice(0, 16)],
  ];
  const lines = [
    `Run ${style.strong(safeText(about.run))}`,
    ...facts.flatMap(([name, value]) =>
      value === undefined ? [] : [`  ${padEnd(name, 15)}${safeText(value)}`],
    ),
    '',
    ...steps.map(({ organization, address, phase, outcome }) => {
      const [sign, word] = outcomeWords[outcome];
      const { noun, done } = phaseWords[phase];
      return `  ${sign} ${nameOf(organization, address)} ${style.faint(word === '' ? done : `${noun} ${word}`)}`;
    }),
  ];
  if (created.length > 0) {
    lines.push('', 'Created or found:');
    append(
      lines,
      created.map(({ organization, address, id }) => `  ${nameOf(organization, address)} (${safeText(id)})`),
    );
  }
  if (unanswered.length > 0) {
    lines.push('', 'Requests without a response, which may have been carried out:');
    append(
      lines,
      unanswered.map((one) => `  ${one.operation}  ${nameOf(one.organization, one.address)}`),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** The same as JSON. */
export function renderHistoryJson(history: History | RunDetails): string {
  return `${stableStringify({ format: 1, ...history }, 2)}\n`;
}

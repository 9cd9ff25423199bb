import type { Action, Phase } from '../../plan/plan.ts';
import { countOf } from '../../util/count.ts';
import { phaseWords } from '../apply/outcome-line.ts';
import { type Document, type Line, line, list, type Report, table } from '../blocks.ts';

/** `unknown`: it has not ended, and its process is on another machine. */
export type RunState = 'complete' | 'incomplete' | 'interrupted' | 'failed' | 'died' | 'running' | 'unknown';

/** Facts of the journal are absent if there is only a record. */
export interface HistoryRun {
  readonly run: string;
  /** Start, or time of the record, as ISO 8601. */
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
  /** Git holds a record of it. */
  readonly isRecorded: boolean;
}

export interface History {
  readonly folder: string;
  readonly runs: readonly HistoryRun[];
  readonly unreadable: readonly string[];
}

export interface StepDetails {
  readonly organization: string;
  readonly address: string;
  readonly action: Action;
  readonly phase: Phase;
  readonly outcome: 'done' | 'pending' | 'satisfied' | 'failed' | 'unknown' | 'skipped' | 'notStarted';
}

export interface RunDetails {
  readonly about: HistoryRun;
  readonly host: string;
  readonly steps: readonly StepDetails[];
  readonly created: readonly {
    readonly organization: string;
    readonly address: string;
    readonly id: string;
  }[];
  /** Requests without a response. */
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
  pending: ['…', 'pending'],
  satisfied: ['-', 'not needed'],
  failed: ['✗', 'failed'],
  unknown: ['?', 'unknown'],
  skipped: ['-', 'skipped'],
  notStarted: ['-', 'not started'],
};

export const historyReport: Report<History | RunDetails> = {
  document: (history) => ('about' in history ? runDocument(history) : historyDocument(history)),
  data: (history) => ({ format: 1, ...history }),
};

function historyDocument({ folder, runs, unreadable }: History): Document {
  const services = new Set(runs.flatMap(({ service }) => service ?? []));
  const rows = runs.map((run) => [
    { text: run.run, as: 'strong' } as const,
    run.time.slice(0, 19).replace('T', ' '),
    run.command,
    stateWords[run.state],
    restOf(run, services.size > 1 ? run.service : undefined),
  ]);
  const journals = countOf(unreadable.length, 'journal');
  const damaged = `${journals} in ${folder} cannot be read: ${unreadable.join(', ')}`;
  return [
    [
      runs.length === 0 ? line(`No runs in ${folder}.`) : table(rows, { indent: 0 }),
      ...(unreadable.length === 0 ? [] : [line(damaged)]),
    ],
  ];
}

function restOf(
  { steps, done, commit, undoes, organizations, isRecorded }: HistoryRun,
  service: string | undefined,
): string {
  return [
    ...(steps === undefined ? [] : [`${done ?? 0} of ${countOf(steps, 'step')}`]),
    some(organizations),
    ...(service === undefined ? [] : [`at ${service}`]),
    ...(commit === undefined ? [] : [commit.slice(0, 10)]),
    ...(isRecorded ? ['recorded'] : []),
    ...(undoes === undefined ? [] : [`undo of ${undoes}`]),
  ].join(', ');
}

function some(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

function runDocument({ about, host, steps, created, unanswered }: RunDetails): Document {
  const nameOf = ({ organization, address }: { readonly organization: string; readonly address: string }) =>
    about.organizations.length > 1 ? `${organization}/${address}` : address;
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
  const lines = steps.map((step): Line => {
    const [sign, word] = outcomeWords[step.outcome];
    const { noun, done } = phaseWords[step.phase];
    return [`${sign} ${nameOf(step)} `, { text: word === '' ? done : `${noun} ${word}`, as: 'faint' }];
  });
  return [
    [
      line('Run ', { text: about.run, as: 'strong' }),
      table(facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    ],
    [list(lines)],
    created.length === 0
      ? []
      : [line('Created or found:'), list(created.map((one) => `${nameOf(one)} (${one.id})`))],
    unanswered.length === 0
      ? []
      : [
          line('Requests without a response, which may have been carried out:'),
          list(unanswered.map((one) => `${one.operation}  ${nameOf(one)}`)),
        ],
  ];
}

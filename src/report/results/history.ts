import type { History, HistoryRun, RunDetails, RunState } from '../../past/history/history.ts';
import type { ValueChange, ValueHistory } from '../../past/history/value-history.ts';
import { countOf, someOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { stableStringify } from '../../util/json.ts';
import { greatest } from '../../util/lists.ts';
import { outcomeWords, phaseWords } from '../apply/outcome-line.ts';
import {
  type Block,
  type Document,
  faint,
  type Line,
  line,
  listed,
  paragraph,
  type Report,
  strong,
  table,
} from '../blocks.ts';
import { type FieldReading, inline } from '../plan/values.ts';
import { csvText } from '../text/csv.ts';
import { displayWidth, safeJson } from '../text/safe-text.ts';

const stateWords: Readonly<Record<RunState, string>> = {
  complete: 'complete',
  incomplete: 'incomplete',
  interrupted: 'interrupted',
  failed: 'failed',
  died: 'ended without a result',
  running: 'running',
  unknown: 'not ended',
};

export const historyReport: Report<History | RunDetails | ValueHistory> = {
  document: (history, width) => {
    if ('changes' in history) return [valueSection(history)];
    return 'about' in history ? runDocument(history) : historyDocument(history, Math.max(width, 80));
  },
  data: (history) => ({ format: 1, ...history }),
};

const columns: Readonly<Record<string, (run: HistoryRun) => string | undefined>> = {
  time: ({ time }) => time,
  run: ({ run }) => run,
  command: ({ command }) => command,
  state: ({ state }) => state,
  organizations: ({ organizations }) => organizations.join(' '),
  actor: ({ who }) => who?.actor,
  account: ({ who }) => who?.account,
  commit: ({ commit }) => commit,
  approval: ({ approval }) => approval?.type,
  approved: ({ approval }) => approval?.digest,
  digest: ({ digest }) => digest,
  exemptions: ({ exemptions = [] }) => exemptions.map(exemptionText).join('; '),
};

const valueColumns: Readonly<Record<string, (change: ValueChange) => string | undefined>> = {
  time: ({ time }) => time,
  address: ({ address }) => address,
  change: ({ type }) => type,
  fields: ({ fields = [] }) => fields.join(' '),
  before: ({ former, before }) =>
    former ?? (before === undefined ? undefined : safeJson(stableStringify(before))),
  after: ({ after }) => (after === undefined ? undefined : safeJson(stableStringify(after))),
  commit: ({ commit }) => commit?.oid,
  subject: ({ commit }) => commit?.subject,
  run: ({ run }) => run,
  actor: ({ who }) => who?.actor,
  account: ({ who }) => who?.account,
  approval: ({ approval }) => approval?.type,
  approved: ({ approval }) => approval?.digest,
};

/** A run is also a row, as is each change of a value. */
export function historyCsv(history: History | RunDetails | ValueHistory): string {
  if ('changes' in history) return rowsOf(valueColumns, history.changes);
  return rowsOf(columns, 'about' in history ? [history.about] : history.runs);
}

function rowsOf<T>(
  all: Readonly<Record<string, (one: T) => string | undefined>>,
  rows: readonly T[],
): string {
  const cellsOf = (row: T) => Object.entries(all).map(([name, of]) => [name, of(row) ?? '']);
  return csvText(
    Object.keys(all),
    rows.map((row) => Object.fromEntries(cellsOf(row)) as Record<string, string>),
  );
}

function valueSection({ of, organization, reads, changes, since, unread }: ValueHistory): readonly Block[] {
  const items = changes.map((change) => ({
    line: [faint(`${timeText(change.time)}  `), changeText(change, defined({ reads }))],
    below: [
      ...(change.commit === undefined
        ? []
        : [`commit ${change.commit.oid.slice(0, 10)}: ${change.commit.subject}`]),
      [
        `run ${change.run}`,
        byText(change.who, 'by '),
        change.approval?.type === 'none' ? '' : approvalText(change.approval),
      ]
        .filter(Boolean)
        .join(', '),
    ],
  }));
  return [
    line(strong(of), ` in ${organization}`),
    items.length + unread.length === 0 && since === undefined
      ? line('  No recorded commit declares it.')
      : { type: 'list', items },
    ...(since === undefined ? [] : [line(`  What happened before ${timeText(since)}: add --all`)]),
    ...unread.map(({ commit, reason }) =>
      paragraph(`The manifests of ${commit.slice(0, 10)} cannot be read, and are left out: ${reason}`, {
        indent: 2,
      }),
    ),
  ];
}

function changeText(
  { type, former, fields, before, after, isFirst, ended }: ValueChange,
  reading: FieldReading,
): string {
  const shown = (value: ValueChange['after']) => inline(value, reading) ?? '(a longer value)';
  const values = before === undefined && after === undefined ? '' : `${shown(before)} → ${shown(after)}`;
  const value = after === undefined ? '' : ` with ${shown(after)}`;
  const texts: Readonly<Record<ValueChange['type'], string>> = {
    added: isFirst === true ? `declared in the oldest record here${value}` : `added${value}`,
    removed: [
      ended === undefined ? 'removed' : `ended on ${ended}`,
      ...(before === undefined ? [] : [`was ${shown(before)}`]),
    ].join(', '),
    renamed: `renamed from ${former}`,
    changed: values || `changed: ${fields?.join(', ')}`,
    drift: `set back after a change at the service: ${values || fields?.join(', ')}`,
  };
  return texts[type];
}

function timeText(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}

function byText(who: HistoryRun['who'], by = ''): string | undefined {
  return who && by + [who.actor, who.account].filter(Boolean).join(', with the token of ');
}

function approvalText(approval: HistoryRun['approval']): string | undefined {
  return approval && [approval.type, approval.digest?.slice(0, 16)].filter(Boolean).join(' ');
}

function exemptionText({ rule, by, why, address }: NonNullable<HistoryRun['exemptions']>[number]): string {
  return `${rule} on ${address}, by ${by}: ${why}`;
}

function historyDocument({ folder, runs, unreadable }: History, width: number): Document {
  const services = new Set(runs.flatMap(({ service }) => service ?? []));
  const cells = runs.map(({ run, time, command, state }) => [
    run,
    timeText(time),
    command,
    stateWords[state],
  ]);
  const widths = [0, 1, 2, 3].map((at) => 2 + greatest(cells.map((row) => displayWidth(row[at] ?? ''))));
  const room = width - widths.reduce((sum, one) => sum + one, 0);
  const rows = runs.map((run, at) => {
    const [name = '', ...more] = cells[at] ?? [];
    const rest = restOf(run, services.size > 1 ? run.service : undefined);
    return [strong(name), ...more, withSignature(rest, run, room)];
  });
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
    someOf(organizations, 3),
    ...(service === undefined ? [] : [`at ${service}`]),
    ...(commit === undefined ? [] : [commit.slice(0, 10)]),
    ...(isRecorded ? ['recorded'] : []),
    ...(undoes === undefined ? [] : [`undo of ${undoes}`]),
  ].join(', ');
}

/** Cut to fit; `octavo history <run>` shows all of it. */
function withSignature(rest: string, { who, approval, exemptions = [] }: HistoryRun, room: number): string {
  const parts = [
    ...(exemptions.length === 0 ? [] : [countOf(exemptions.length, 'exemption')]),
    ...(who === undefined ? [] : [`by ${who.actor}`]),
    ...(approval === undefined || approval.type === 'none' ? [] : [approval.type]),
  ];
  return parts.reduce((line, part) => {
    const longer = `${line}, ${part}`;
    return displayWidth(longer) <= room ? longer : line;
  }, rest);
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
    ['By', byText(about.who)],
    ['Approval', approvalText(about.approval)],
    ...(about.exemptions ?? []).map((one) => ['Exempt', exemptionText(one)] as const),
  ];
  const lines = steps.map((step): Line => {
    const [sign, word] = outcomeWords[step.outcome];
    const { noun, done } = phaseWords[step.phase];
    return [`${sign} ${nameOf(step)} `, faint(word === '' ? done : `${noun} ${word}`)];
  });
  return [
    [
      line('Run ', strong(about.run)),
      table(facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    ],
    [{ type: 'list', items: lines.map((one) => ({ line: one })) }],
    listed(
      'Created or found',
      created.map((one) => `${nameOf(one)} (${one.id})`),
    ),
    listed(
      'Requests without a response, which may have been carried out',
      unanswered.map((one) => `${one.operation}  ${nameOf(one)}`),
    ),
  ];
}

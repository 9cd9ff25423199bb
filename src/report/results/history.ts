import type { History, HistoryRun, RunDetails, RunState } from '../../past/history/history.ts';
import { countOf, someOf } from '../../util/count.ts';
import { greatest } from '../../util/lists.ts';
import { outcomeWords, phaseWords } from '../apply/outcome-line.ts';
import { type Document, faint, type Line, line, listed, type Report, strong, table } from '../blocks.ts';
import { csvText } from '../text/csv.ts';
import { displayWidth } from '../text/safe-text.ts';

const stateWords: Readonly<Record<RunState, string>> = {
  complete: 'complete',
  incomplete: 'incomplete',
  interrupted: 'interrupted',
  failed: 'failed',
  died: 'ended without a result',
  running: 'running',
  unknown: 'not ended',
};

export const historyReport: Report<History | RunDetails> = {
  document: (history, width) =>
    'about' in history ? runDocument(history) : historyDocument(history, Math.max(width, 80)),
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

/** A run is also a row. */
export function historyCsv(history: History | RunDetails): string {
  const rows = ('about' in history ? [history.about] : history.runs).map((run) =>
    Object.fromEntries(Object.entries(columns).map(([name, of]) => [name, of(run) ?? ''])),
  );
  return csvText(Object.keys(columns), rows);
}

function exemptionText({ rule, by, why, address }: NonNullable<HistoryRun['exemptions']>[number]): string {
  return `${rule} on ${address}, by ${by}: ${why}`;
}

function historyDocument({ folder, runs, unreadable }: History, width: number): Document {
  const services = new Set(runs.flatMap(({ service }) => service ?? []));
  const cells = runs.map(({ run, time, command, state }) => [
    run,
    time.slice(0, 19).replace('T', ' '),
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
    ['By', about.who && [about.who.actor, about.who.account].filter(Boolean).join(', with the token of ')],
    [
      'Approval',
      about.approval && [about.approval.type, about.approval.digest?.slice(0, 16)].filter(Boolean).join(' '),
    ],
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

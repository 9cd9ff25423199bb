/** The reports of several runs, joined, as text and JSON. Pure. */
import { countOf } from '../util/count.ts';
import { durationText } from '../util/duration.ts';
import { stableStringify } from '../util/json.ts';
import { safeText } from './safe-text.ts';

/** A run of a joined report. */
interface JoinedRun {
  readonly run: string;
  readonly file: string;
  readonly shard?: number;
  readonly outcome: string;
  readonly milliseconds: number;
  readonly organizations: readonly string[];
  readonly errors: readonly { readonly message: string }[];
}

/** A step of a joined report. */
interface JoinedStep {
  readonly address: string;
  readonly phase: string;
  readonly outcome: string;
  readonly error?: { readonly message: string };
}

/** What is shown of a joined report. */
export interface JoinedReport {
  readonly command: string;
  readonly outcome: 'complete' | 'incomplete';
  readonly shards?: { readonly of: number; readonly missing: readonly number[] };
  readonly runs: readonly JoinedRun[];
  readonly counts: Readonly<Record<string, number>>;
  readonly organizations: readonly { readonly label: string; readonly steps: readonly JoinedStep[] }[];
}

/** Most failures that are shown; all of them are in the JSON form. */
const mostFailures = 20;

/** The document; ends with a line break. */
export function joinedReportJson(report: JoinedReport): string {
  return `${stableStringify(report, 2)}\n`;
}

/** One line per run, what failed, and what is missing; ends with a line break. */
export function joinedReportText(report: JoinedReport): string {
  const { runs, shards, outcome, command, organizations } = report;
  const whole =
    shards === undefined
      ? countOf(runs.length, 'run')
      : `${shards.of - shards.missing.length} of ${countOf(shards.of, 'shard')}`;
  const lines = [
    `octavo ${safeText(command)}, ${whole}: ${outcome}`,
    '',
    ...runs.map((run) => `  ${runText(run, shards?.of)}`),
    '',
    ...failureLines(report),
    ...missingLines(shards),
    `${countOf(organizations.length, 'organization')}: ${countsText(report)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** For example `2/4  complete  12 organizations  4 s  r-mwr0b3db-cd8e`. */
function runText(run: JoinedRun, of: number | undefined): string {
  const { shard, outcome, organizations, milliseconds } = run;
  const name = shard === undefined ? safeText(run.file) : `${shard}/${of}`;
  const why = run.errors.map(({ message }) => `\n      ${safeText(message)}`).join('');
  const parts = [
    name,
    outcome,
    countOf(organizations.length, 'organization'),
    durationText(milliseconds),
    safeText(run.run),
  ];
  return `${parts.join('  ')}${why}`;
}

function failureLines({ organizations }: JoinedReport): readonly string[] {
  const failures = organizations.flatMap(({ label, steps }) =>
    steps
      .filter(({ outcome }) => outcome === 'failed' || outcome === 'unknown')
      .map(({ address, phase, outcome, error }) => {
        const why = error === undefined ? '' : `: ${safeText(error.message)}`;
        return `  ${safeText(label)}  ${safeText(address)} (${phase}) ${outcome}${why}`;
      }),
  );
  if (failures.length === 0) return [];
  const more = failures.length - mostFailures;
  const rest = more > 0 ? [`  and ${more} more (--format json)`] : [];
  return [`Not done:`, ...failures.slice(0, mostFailures), ...rest, ''];
}

function missingLines(shards: JoinedReport['shards']): readonly string[] {
  if (shards === undefined || shards.missing.length === 0) return [];
  const names = shards.missing.map((index) => `${index}/${shards.of}`).join(', ');
  return [`No report of ${shards.missing.length === 1 ? 'shard' : 'shards'} ${names}.`, ''];
}

/** For example `53 steps done, 2 failed`: only what there is. */
function countsText({ counts }: JoinedReport): string {
  const there = Object.entries(counts).filter(([, count]) => count > 0);
  if (there.length === 0) return 'nothing to do';
  const words: Readonly<Record<string, string>> = { notStarted: 'not started' };
  const texts = there.map(([outcome, count], at) =>
    at === 0
      ? `${countOf(count, 'step')} ${words[outcome] ?? outcome}`
      : `${count} ${words[outcome] ?? outcome}`,
  );
  return texts.join(', ');
}

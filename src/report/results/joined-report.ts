import { countOf } from '../../util/count.ts';
import { durationText } from '../../util/duration.ts';
import { line, list, type Report } from '../blocks.ts';

interface JoinedRun {
  readonly run: string;
  readonly file: string;
  readonly shard?: number;
  readonly outcome: string;
  readonly milliseconds: number;
  readonly organizations: readonly string[];
  readonly errors: readonly { readonly message: string }[];
}

interface JoinedStep {
  readonly address: string;
  readonly phase: string;
  readonly outcome: string;
  readonly error?: { readonly message: string };
}

export interface JoinedReport {
  readonly command: string;
  readonly outcome: 'complete' | 'incomplete';
  readonly shards?: { readonly of: number; readonly missing: readonly number[] };
  readonly runs: readonly JoinedRun[];
  readonly counts: Readonly<Record<string, number>>;
  readonly organizations: readonly { readonly label: string; readonly steps: readonly JoinedStep[] }[];
}

export const joinedReport: Report<JoinedReport> = {
  document: (report) => {
    const { runs, shards, outcome, command, organizations } = report;
    const whole =
      shards === undefined
        ? countOf(runs.length, 'run')
        : `${shards.of - shards.missing.length} of ${countOf(shards.of, 'shard')}`;
    const failures = failuresOf(report);
    const missing = shards?.missing.map((index) => `${index}/${shards.of}`) ?? [];
    return [
      [line(`octavo ${command}, ${whole}: ${outcome}`)],
      [{ type: 'list', items: runs.map((run) => runItem(run, shards?.of)) }],
      failures.length === 0 ? [] : [line('Not done:'), list(failures, 20)],
      missing.length === 0
        ? []
        : [line(`No report of ${missing.length === 1 ? 'shard' : 'shards'} ${missing.join(', ')}.`)],
      [line(`${countOf(organizations.length, 'organization')}: ${countsText(report)}`)],
    ];
  },
  data: (report) => report,
};

/** For example `2/4  complete  12 organizations  4 s  r-mwr0b3db-cd8ee8dc`. */
function runItem({ file, shard, outcome, organizations, milliseconds, run, errors }: JoinedRun, of?: number) {
  const name = shard === undefined ? file : `${shard}/${of}`;
  const parts = [
    name,
    outcome,
    countOf(organizations.length, 'organization'),
    durationText(milliseconds),
    run,
  ];
  return { line: parts.join('  '), below: errors.map(({ message }) => message) };
}

function failuresOf({ organizations }: JoinedReport): readonly string[] {
  return organizations.flatMap(({ label, steps }) =>
    steps
      .filter(({ outcome }) => outcome === 'failed' || outcome === 'unknown')
      .map(({ address, phase, outcome, error }) => {
        const why = error === undefined ? '' : `: ${error.message}`;
        return `${label}  ${address} (${phase}) ${outcome}${why}`;
      }),
  );
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

import type { JoinedReport, JoinedRun } from '../../run/results/join-runs.ts';
import { countOf } from '../../util/count.ts';
import { durationText } from '../../util/duration.ts';
import { line, listed, type Report } from '../blocks.ts';

export const joinedReport: Pick<Report<JoinedReport>, 'document'> = {
  document: ({ runs, shards, outcome, command, counts }) => {
    const whole =
      shards === undefined
        ? countOf(runs.length, 'run')
        : `${shards.of - shards.missing.length} of ${countOf(shards.of, 'shard')}`;
    const organizations = runs.flatMap((run) => run.organizations);
    const failures = organizations.flatMap(failuresOf);
    const missing = shards?.missing.map((index) => `${index}/${shards.of}`) ?? [];
    return [
      [line(`octavo ${command}, ${whole}: ${outcome}`)],
      [{ type: 'list', items: runs.map((run) => runItem(run, shards?.of)) }],
      listed('Not done', failures, 20),
      missing.length === 0
        ? []
        : [line(`No run of ${missing.length === 1 ? 'shard' : 'shards'} ${missing.join(', ')}.`)],
      [line(`${countOf(organizations.length, 'organization')}: ${countsText(counts)}`)],
    ];
  },
};

/** Example: `2/4  complete  12 organizations  4 s  r-mwr0b3db-cd8ee8dc`. */
function runItem(run: JoinedRun, of?: number) {
  const { file, shard, outcome, organizations, milliseconds, id, diagnostics } = run;
  const parts = [
    shard === undefined ? file : `${shard.index}/${of}`,
    outcome,
    countOf(organizations.length, 'organization'),
    durationText(milliseconds),
    id,
  ];
  return { line: parts.join('  '), below: diagnostics.map(({ message }) => message) };
}

function failuresOf({ label, steps }: JoinedRun['organizations'][number]): readonly string[] {
  return steps
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'unknown')
    .map(({ address, phase, outcome, error }) => {
      const why = error === undefined ? '' : `: ${error.message}`;
      return `${label}  ${address} (${phase}) ${outcome}${why}`;
    });
}

/** Example: `53 steps done, 2 failed`: omits zero counts. */
function countsText(counts: JoinedReport['counts']): string {
  const there = Object.entries(counts).filter(([, count]) => count > 0);
  if (there.length === 0) return 'nothing to do';
  const words: Readonly<Record<string, string>> = { notStarted: 'not started' };
  const texts = there.map(
    ([outcome, count], at) => `${at === 0 ? countOf(count, 'step') : count} ${words[outcome] ?? outcome}`,
  );
  return texts.join(', ');
}

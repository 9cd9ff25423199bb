/** Joins the JSON of several runs, such as all shards, into one report. Pure. */

import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { sumOf } from './collect-run.ts';
import type { RunDocument, RunStatement } from './run-schema.ts';

export interface JoinedRun extends RunStatement {
  readonly file: string;
  readonly digest?: string;
  readonly diagnostics: readonly Diagnostic[];
}

export type JoinedReport = ReturnType<typeof joinRuns>;

export interface NamedRun {
  readonly file: string;
  readonly document: RunDocument;
}

/**
 * `complete`: every shard is present and every run is complete. `runs`: sorted by shard; without shards, in the given order.
 * @throws DiagnosticError (`report-merge`) if the runs do not belong together, or two are for the same organization.
 */
export function joinRuns(given: readonly NamedRun[]) {
  const runs = given
    .map(
      ({ file, document: { run, digest, diagnostics = [] } }): JoinedRun => ({
        ...run,
        file,
        diagnostics,
        ...defined({ digest }),
      }),
    )
    .sort((left, right) => (left.shard?.index ?? 0) - (right.shard?.index ?? 0));
  const [first] = runs;
  if (first === undefined)
    throw userError('report-merge', 'no runs to join', 'pass the files that --format json=FILE wrote');
  refuseStrangers(first, runs);
  refuseTwice(runs);
  const { command, shard } = first;
  const there = new Set(runs.map((one) => one.shard?.index));
  const all = Array.from({ length: shard?.of ?? 0 }, (_, at) => at + 1);
  const missing = all.filter((index) => !there.has(index));
  const isComplete = missing.length === 0 && runs.every(({ outcome }) => outcome === 'complete');
  return {
    format: 1 as const,
    joined: true as const,
    command,
    ...defined({ baseUrl: runs.find(({ baseUrl }) => baseUrl !== undefined)?.baseUrl }),
    outcome: isComplete ? ('complete' as const) : ('incomplete' as const),
    ...(shard === undefined ? {} : { shards: { of: shard.of, missing } }),
    counts: sumOf(runs.map(({ counts }) => counts)),
    runs,
  };
}

/** Refuses runs of other commands, services and shard counts. Values that a failed run never determined are ignored. */
function refuseStrangers(first: JoinedRun, runs: readonly JoinedRun[]): void {
  const commonValues: readonly (readonly [(run: JoinedRun) => string | undefined, boolean])[] = [
    [({ command }) => `of octavo ${command}`, true],
    [({ shard }) => (shard === undefined ? 'of no shard' : `of one of ${shard.of} shards`), true],
    [({ baseUrl }) => baseUrl && `of the service ${baseUrl}`, false],
    [({ shard }) => shard?.split && `of the split ${shard.split}`, false],
  ];
  for (const [read, isAlways] of commonValues) {
    const reference = runs.find((run) => read(run) !== undefined) ?? first;
    const expected = read(reference);
    const other = runs.find((run) => {
      const own = read(run);
      return own !== expected && (isAlways || own !== undefined);
    });
    if (other === undefined) continue;
    throw userError(
      'report-merge',
      `${reference.file} is ${expected}, ${other.file} is ${read(other)}`,
      'join runs of one pipeline, whose jobs saw the same manifests',
    );
  }
}

function refuseTwice(runs: readonly JoinedRun[]): void {
  const seen = new Map<string, JoinedRun>();
  for (const run of runs) {
    const { id: own, shard, organizations } = run;
    const claims = [
      `run ${own}`,
      ...(shard === undefined ? [] : [`shard ${shard.index}/${shard.of}`]),
      ...organizations.map(({ id, label }) => `organization ${id === '' ? label : id}`),
    ];
    for (const claim of claims) {
      const before = seen.get(claim);
      seen.set(claim, run);
      if (before === undefined || before === run) continue;
      throw userError(
        'report-merge',
        `${before.file} (run ${before.id}) and ${run.file} (run ${own}) are both about ${claim}`,
        'leave out the file of the run that was repeated',
      );
    }
  }
}

/** Joins the reports of several runs, such as those of all shards, into one. Pure. */
import { defined } from '../../util/defined.ts';
import { userError } from '../../util/user-error.ts';
import { sumOf } from './collect.ts';
import type { MergedReport, RunReport } from './schema.ts';

export interface NamedReport {
  readonly file: string;
  readonly report: RunReport;
}

/** @throws DiagnosticError (`report-merge`) if they do not belong together, or two are about the same organization. */
export function mergeReports(given: readonly NamedReport[]): MergedReport {
  const [first] = given;
  if (first === undefined) {
    throw userError('report-merge', 'no reports to join', 'pass the files that --report-file wrote');
  }
  refuseStrangers(first, given);
  refuseTwice(given);
  const named = [...given].sort(
    (left, right) => (left.report.shard?.index ?? 0) - (right.report.shard?.index ?? 0),
  );
  const reports = named.map(({ report }) => report);
  const { command, shard } = first.report;
  const missing = shard === undefined ? [] : missingOf(shard.of, reports);
  const isComplete = missing.length === 0 && reports.every(({ outcome }) => outcome === 'complete');
  return {
    format: 1,
    merged: true,
    command,
    ...defined({ baseUrl: reports.find(({ baseUrl }) => baseUrl !== undefined)?.baseUrl }),
    startedAt: reports.map(({ startedAt }) => startedAt).sort()[0] ?? '',
    endedAt:
      reports
        .map(({ endedAt }) => endedAt)
        .sort()
        .at(-1) ?? '',
    outcome: isComplete ? 'complete' : 'incomplete',
    ...(shard === undefined ? {} : { shards: { of: shard.of, missing } }),
    runs: named.map(runOf),
    requests: {
      sent: total(reports, ({ sent }) => sent),
      retried: total(reports, ({ retried }) => retried),
      failed: total(reports, ({ failed }) => failed),
    },
    counts: sumOf(reports.map(({ counts }) => counts)),
    organizations: reports
      .flatMap(({ organizations }) => organizations)
      .sort((left, right) => (left.label < right.label ? -1 : 1)),
  };
}

function runOf({ file, report }: NamedReport): MergedReport['runs'][number] {
  const { run, version, shard, outcome, exitCode, milliseconds, digest, organizations, errors, stopped } =
    report;
  return {
    run,
    file,
    version,
    ...defined({ shard: shard?.index, digest, stopped }),
    outcome,
    exitCode,
    milliseconds,
    organizations: organizations.map(({ label }) => label),
    errors,
  };
}

function missingOf(of: number, reports: readonly RunReport[]): readonly number[] {
  const there = new Set(reports.map(({ shard }) => shard?.index));
  return Array.from({ length: of }, (_, at) => at + 1).filter((index) => !there.has(index));
}

function total(reports: readonly RunReport[], count: (requests: RunReport['requests']) => number): number {
  return reports.reduce((sum, { requests }) => sum + count(requests), 0);
}

/**
 * Reports of other commands, services and splits are refused. Fields that a failed run did not report are ignored.
 */
function refuseStrangers(first: NamedReport, given: readonly NamedReport[]): void {
  const known = <T>(pick: (report: RunReport) => T | undefined) =>
    given.find(({ report }) => pick(report) !== undefined) ?? first;
  const marks: readonly (readonly [(report: RunReport) => string | undefined, boolean])[] = [
    [({ command }) => `of octavo ${command}`, true],
    [({ shard }) => (shard === undefined ? 'of no shard' : `of one of ${shard.of} shards`), true],
    [({ baseUrl }) => baseUrl && `of the service ${baseUrl}`, false],
    [({ shard }) => shard?.split && `of the split ${shard.split}`, false],
  ];
  for (const [mark, isAlways] of marks) {
    const reference = known(mark);
    const expected = mark(reference.report);
    const other = given.find(({ report }) => {
      const own = mark(report);
      return own !== expected && (isAlways || own !== undefined);
    });
    if (other === undefined) continue;
    throw userError(
      'report-merge',
      `${reference.file} is ${expected}, ${other.file} is ${mark(other.report)}`,
      'join reports of one pipeline, whose jobs saw the same manifests',
    );
  }
}

function refuseTwice(given: readonly NamedReport[]): void {
  const seen = new Map<string, NamedReport>();
  for (const one of given) {
    const { run, shard, organizations } = one.report;
    const claims = [
      `run ${run}`,
      ...(shard === undefined ? [] : [`shard ${shard.index}/${shard.of}`]),
      ...organizations.map(({ id, label }) => `organization ${id === '' ? label : id}`),
    ];
    for (const claim of claims) {
      const before = seen.get(claim);
      seen.set(claim, one);
      if (before === undefined || before === one) continue;
      throw userError(
        'report-merge',
        `${before.file} (run ${before.report.run}) and ${one.file} (run ${run}) are both about ${claim}`,
        'leave out the report of the run that was repeated',
      );
    }
  }
}

/** `--report-file`: the run as one JSON document. */
import { resolve } from 'node:path';
import { RunCollector, type RunHead } from '../../run/run-report/collect.ts';
import { openReportFile } from '../../run/run-report/report-file.ts';
import { userError } from '../../util/user-error.ts';
import { version } from '../../util/version.ts';
import type { Observer } from './observer.ts';

export interface ReportRequest {
  readonly cwd: string;
  readonly name: string;
  /** Other files that the run writes. */
  readonly otherFiles: readonly (string | undefined)[];
  readonly run: Omit<RunHead, 'version'>;
}

/** Throws a DiagnosticError if the report cannot be written. */
export function openRunReport({ cwd, name, otherFiles, run }: ReportRequest): Observer {
  const path = resolve(cwd, name);
  if (otherFiles.some((other) => other !== undefined && resolve(cwd, other) === path)) {
    throw userError(
      'report-file',
      `cannot write the run report to ${name}: another flag names the same file`,
      'name another file with --report-file',
    );
  }
  const file = openReportFile(cwd, name);
  const collector = new RunCollector({ ...run, version });
  return {
    observe: (event) => collector.observe(event),
    end: (end) => file.write(collector.report(end)),
  };
}

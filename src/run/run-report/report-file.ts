/** Writes a run report, whole or not at all. Whether that is possible is checked before anything is applied. */
import { resolve } from 'node:path';
import { reasonOf, userError } from '../../util/user-error.ts';
import { requireWritable, writeWhole } from '../write-file.ts';
import type { RunReport } from './schema.ts';

const ownOnly = 0o600;

export interface ReportFile {
  /** Throws a DiagnosticError if that is no longer possible. */
  readonly write: (report: RunReport) => void;
}

/** Throws a DiagnosticError if the file cannot be written. */
export function openReportFile(cwd: string, name: string): ReportFile {
  const fail = (error: unknown) => {
    const missing =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'its folder does not exist' : undefined;
    const reason = missing ?? reasonOf(error);
    return userError(
      'report-file',
      `cannot write the run report to ${name}: ${reason}`,
      'name another file with --report-file',
    );
  };
  try {
    const path = requireWritable(resolve(cwd, name), ownOnly);
    return {
      write: (report) => {
        try {
          writeWhole(path, `${JSON.stringify(report, null, 2)}\n`, ownOnly);
        } catch (error) {
          throw fail(error);
        }
      },
    };
  } catch (error) {
    throw fail(error);
  }
}

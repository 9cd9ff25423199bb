/** Where a run report is written: as a whole or not at all. Whether that is possible is found out before anything is applied. */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf, userError } from '../../util/user-error.ts';
import { draftFile, writeWhole } from '../write-file.ts';
import type { RunReport } from './schema.ts';

/** New files are for whoever runs the command alone. */
const ownOnly = 0o600;

/** A file that can be written. */
export interface ReportFile {
  /** Writes the report. Throws a DiagnosticError where that is not possible any more. */
  readonly write: (report: RunReport) => void;
}

/** Makes sure that the file can be written. Throws a DiagnosticError where it cannot. */
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
    const given = resolve(cwd, name);
    // A link stays one: what it leads to is replaced.
    const path = existsSync(given) ? realpathSync(given) : given;
    if (existsSync(path)) {
      if (!statSync(path).isFile()) throw new Error('it is not a regular file');
      accessSync(path, constants.W_OK);
    }
    draftFile(path, '', ownOnly).discard();
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

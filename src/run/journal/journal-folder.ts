/** The folder of the journals: `.octavo/journal` next to the configuration or at the root of the repository. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { reasonOf, userError } from '../../util/user-error.ts';
import { refuseLinks } from '../write-file.ts';

const suffix = '.ndjson';

const keptRuns = 200;
const alwaysKept = 20;
/** Maximum total size of journals in bytes, without the ones that are always kept. */
const keptBytes = 64 * 2 ** 20;

export class JournalFolder {
  readonly path: string;
  readonly name: string;

  /** `start`: the working folder; the journals are there, or next to a `.git` or configuration above it. */
  constructor(start: string) {
    this.path = join(rootAbove(start), '.octavo', 'journal');
    this.name = relative(start, this.path);
  }

  /** Oldest first. Empty if the folder does not exist or cannot be read. */
  runs(): readonly string[] {
    let names: readonly string[] = [];
    try {
      names = readdirSync(this.path);
    } catch {
      return [];
    }
    const runs = names.flatMap((name) => (name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : []));
    return runs.filter(isRunId).sort();
  }

  fileOf(run: string): string {
    return join(this.path, `${run}${suffix}`);
  }

  textOf(run: string): string | undefined {
    try {
      return readFileSync(this.fileOf(run), 'utf8');
    } catch {
      return undefined;
    }
  }

  /**
   * Creates the folder, ignored by git.
   *
   * @throws DiagnosticError if that fails.
   */
  prepare(): void {
    try {
      refuseLinks(this.path);
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      const ignored = join(dirname(this.path), '.gitignore');
      if (!existsSync(ignored)) writeFileSync(ignored, '*\n');
    } catch (error) {
      throw this.problem(error);
    }
  }

  /** Removes the oldest journals if their number or size exceeds the limit. Never throws. */
  rotate(): void {
    let bytes = 0;
    for (const [index, run] of [...this.runs()].reverse().entries()) {
      const file = this.fileOf(run);
      try {
        bytes += statSync(file).size;
        if (index >= keptRuns || (index >= alwaysKept && bytes > keptBytes)) rmSync(file, { force: true });
      } catch {
        // Another run may remove the same journals.
      }
    }
  }

  problem(error: unknown): Error {
    const reason = reasonOf(error);
    return userError(
      'journal',
      `cannot write the journal in ${this.name}: ${reason}`,
      'make the folder writable: no request is sent before it is in the journal',
    );
  }
}

/** See `newRunId` of the command line. Older runs end in four digits. */
export function isRunId(run: string): boolean {
  return /^r-[0-9a-z]{1,11}-[0-9a-f]{4,8}$/.test(run);
}

/** The nearest folder, from `start` upwards, with a configuration or a repository; else `start`. */
function rootAbove(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'octavo.config.yaml')) || existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return start;
  }
}

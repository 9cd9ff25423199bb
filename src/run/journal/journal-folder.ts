/** The folder of the journals: `.octavo/journal` beside the configuration or at the root of the repository. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { reasonOf, userError } from '../../util/user-error.ts';

const suffix = '.ndjson';

/** How many journals are kept; and how many of them whatever their size. */
const keptRuns = 200;
const alwaysKept = 20;
/** Bytes of all journals together, beyond those that are always kept. */
const keptBytes = 64 * 2 ** 20;

/** The folder with the journals of a workspace. */
export class JournalFolder {
  readonly path: string;
  /** As people read it. */
  readonly name: string;

  /** `start`: the working folder; the journals are there, or where `.git` or the configuration is above it. */
  constructor(start: string) {
    this.path = join(rootAbove(start), '.octavo', 'journal');
    this.name = relative(start, this.path);
  }

  /** The names of the runs, oldest first. Empty where the folder does not exist or cannot be read. */
  runs(): readonly string[] {
    let names: readonly string[] = [];
    try {
      names = readdirSync(this.path);
    } catch {
      return [];
    }
    return names.flatMap((name) => (isJournal(name) ? [name.slice(0, -suffix.length)] : [])).sort();
  }

  /** The file of a run. */
  fileOf(run: string): string {
    return join(this.path, `${run}${suffix}`);
  }

  /**
   * Makes the folder, which git leaves alone.
   *
   * @throws DiagnosticError where that is not possible.
   */
  prepare(): void {
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      const ignored = join(dirname(this.path), '.gitignore');
      if (!existsSync(ignored)) writeFileSync(ignored, '*\n');
    } catch (error) {
      throw this.problem(error);
    }
  }

  /** Removes the oldest journals where there are too many of them, or too large ones. Never throws. */
  rotate(): void {
    let bytes = 0;
    for (const [index, run] of [...this.runs()].reverse().entries()) {
      const file = this.fileOf(run);
      try {
        bytes += statSync(file).size;
        if (index >= keptRuns || (index >= alwaysKept && bytes > keptBytes)) rmSync(file, { force: true });
      } catch {
        // Another run removes journals at the same time.
      }
    }
  }

  /** What prevents a journal, for people. */
  problem(error: unknown): Error {
    const reason = reasonOf(error);
    return userError(
      'journal',
      `cannot write the journal in ${this.name}: ${reason}`,
      'make the folder writable: nothing is sent that is not in the journal',
    );
  }
}

/** Names of runs only: what else is in the folder is somebody else's. */
function isJournal(name: string): boolean {
  return /^r-[0-9a-z]+-[0-9a-f]{4}\.ndjson$/.test(name);
}

/** The nearest folder, from `start` upwards, with a configuration or a repository; `start` where there is none. */
function rootAbove(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'octavo.config.yaml')) || existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return start;
  }
}

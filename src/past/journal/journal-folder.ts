/** Journals of runs. Those on the disk are in `.octavo/journal`, next to the configuration or at the root of the repository. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { nearestWith } from '../../manifest/files/paths.ts';
import { refuseLinks } from '../../manifest/files/work-folder.ts';

/** Journals by the id of their run. Except for `runs`, every method throws the system's error. */
export interface JournalStore {
  /** Shown to people. */
  readonly name: string;
  /** Oldest first. Empty if the journals cannot be listed. */
  runs(): readonly string[];
  text(run: string): string;
  lastLine(run: string): string;
  /** Unit: bytes. */
  size(run: string): number;
  /** Begins the journal of this run. Fails if there is one. */
  begin(run: string): Promise<void>;
  /** Survives the end of the process, but not of the machine before a `flush`. */
  append(run: string, text: string): void;
  /** Only for a journal that was begun here, as is `end`. */
  flush(run: string): Promise<void>;
  end(run: string): Promise<void>;
  remove(run: string): void;
}

const suffix = '.ndjson';

export class JournalFolder implements JournalStore {
  readonly path: string;
  readonly name: string;
  /** By run. They remain valid if another run removes the file. */
  readonly #begun = new Map<string, FileHandle>();

  /** `start`: the working folder; the journals are there, or next to a `.git` or configuration above it. */
  constructor(start: string) {
    const root = nearestWith(start, ['octavo.config.yaml', '.git']) ?? start;
    this.path = join(root, '.octavo', 'journal');
    this.name = relative(start, this.path);
  }

  runs(): readonly string[] {
    try {
      const journals = readdirSync(this.path).filter((name) => name.endsWith(suffix));
      return journals
        .map((name) => name.slice(0, -suffix.length))
        .filter(isRunId)
        .sort();
    } catch {
      return [];
    }
  }

  fileOf(run: string): string {
    return join(this.path, `${run}${suffix}`);
  }

  text(run: string): string {
    return readFileSync(this.fileOf(run), 'utf8');
  }

  lastLine(run: string): string {
    const handle = openSync(this.fileOf(run), 'r');
    try {
      const { size } = fstatSync(handle);
      for (let length = 64 * 1024; ; length *= 4) {
        const bytes = Buffer.alloc(Math.min(size, length));
        readSync(handle, bytes, 0, bytes.length, size - bytes.length);
        const lines = bytes.toString('utf8').trimEnd().split('\n');
        if (lines.length > 1 || bytes.length === size) return lines.at(-1) ?? '';
      }
    } finally {
      closeSync(handle);
    }
  }

  size(run: string): number {
    const handle = this.#begun.get(run);
    return (handle === undefined ? statSync(this.fileOf(run)) : fstatSync(handle.fd)).size;
  }

  async begin(run: string): Promise<void> {
    refuseLinks(this.path);
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const ignored = join(dirname(this.path), '.gitignore');
    if (!existsSync(ignored)) writeFileSync(ignored, '*\n');
    this.#begun.set(run, await open(this.fileOf(run), 'ax', 0o600));
  }

  append(run: string, text: string): void {
    // A synchronous write to the system's memory is faster than handing it to another thread; only the disk is slow.
    appendFileSync(this.#begun.get(run)?.fd ?? this.fileOf(run), text);
  }

  async flush(run: string): Promise<void> {
    await this.#begun.get(run)?.datasync();
  }

  async end(run: string): Promise<void> {
    await this.#begun.get(run)?.close();
    this.#begun.delete(run);
  }

  remove(run: string): void {
    rmSync(this.fileOf(run), { force: true });
  }
}

/** See `newRunId` of the command line. Older runs end in four digits. */
export function isRunId(run: string): boolean {
  return /^r-[0-9a-z]{1,11}-[0-9a-f]{4,8}$/.test(run);
}

/** Writes the journal of one run. A request is on the disk before it is sent. */
import { appendFileSync, fstatSync } from 'node:fs';
import { appendFile, type FileHandle, open } from 'node:fs/promises';
import type { ApplyJournal, JournalRequest, JournalResponse } from '../../apply/journal.ts';
import { defined } from '../../util/defined.ts';
import type { JournalEnding, JournalEntry, JournalHeader } from './entry.ts';
import type { JournalFolder } from './journal-folder.ts';

export type MadeIds = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface PendingLine {
  readonly text: string;
  readonly resolve?: () => void;
  readonly reject?: (error: Error) => void;
}

/** Lines of one turn of the event loop, or that arrive while the disk is busy, are written together. */
export class JournalWriter implements ApplyJournal {
  readonly #handle: FileHandle;
  readonly #folder: JournalFolder;
  readonly #now: () => Date;
  readonly #about: Pick<JournalEnding, 'service' | 'organizations' | 'undoes'>;
  #pending: PendingLine[] = [];
  /** Pending lines will be written without another request. */
  #isUnderWay = false;
  #failure: Error | undefined;
  /** Unit: bytes. */
  #size = 0;

  private constructor(
    handle: FileHandle,
    folder: JournalFolder,
    { service, organizations, undoes }: Pick<JournalHeader, 'service' | 'organizations' | 'undoes'>,
    now: () => Date,
  ) {
    this.#handle = handle;
    this.#folder = folder;
    const labels = organizations.map(({ label }) => label);
    this.#about = { service, organizations: labels, ...defined({ undoes }) };
    this.#now = now;
  }

  /** @throws DiagnosticError (`journal`) if it cannot be written. */
  static async open(
    folder: JournalFolder,
    header: Omit<JournalHeader, 'type' | 'format' | 'time'>,
    now: () => Date,
  ): Promise<JournalWriter> {
    folder.prepare();
    folder.rotate();
    let handle: FileHandle;
    try {
      handle = await open(folder.fileOf(header.run), 'ax', 0o600);
    } catch (error) {
      throw folder.problem(error);
    }
    const writer = new JournalWriter(handle, folder, header, now);
    try {
      await writer.#onDisk({ type: 'run', format: 1, time: now().toISOString(), ...header });
    } catch (error) {
      await handle.close();
      throw error;
    }
    return writer;
  }

  request(entry: JournalRequest): Promise<void> {
    return this.#onDisk({ type: 'request', time: this.#now().toISOString(), ...entry });
  }

  response(entry: JournalResponse): void {
    this.#soon({ type: 'response', time: this.#now().toISOString(), ...entry });
  }

  step(entry: Omit<Extract<JournalEntry, { type: 'step' }>, 'type' | 'time'>): void {
    this.#soon({ type: 'step', time: this.#now().toISOString(), ...entry });
  }

  /** Never throws, because the requests have been sent. Returns the reason if the journal could not be completed. */
  async end(
    ids: MadeIds,
    ending: Pick<JournalEnding, 'outcome' | 'pending' | 'leftover'>,
  ): Promise<string | undefined> {
    const time = this.#now().toISOString();
    // A separate line keeps the last line short; later runs read only that one if the run is complete.
    this.#soon({ type: 'ids', time, ids });
    const reason = ({ message }: Error) => message;
    const ended = this.#onDisk({ type: 'end', time, ...this.#about, ...ending });
    const problem = await ended.then(() => undefined, reason);
    await this.#handle.close().catch(() => undefined);
    return problem;
  }

  #soon(entry: JournalEntry): void {
    this.#add({ text: lineOf(entry) });
  }

  #onDisk(entry: JournalEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#add({ text: lineOf(entry), resolve, reject });
    });
  }

  #add(line: PendingLine): void {
    if (this.#failure !== undefined) {
      line.reject?.(this.#failure);
      return;
    }
    this.#pending.push(line);
    if (!this.#isUnderWay) this.#writeSoon();
  }

  /** Waits for the end of this turn: outcomes of responses that arrive together, and the next requests, become a single write. */
  #writeSoon(): void {
    this.#isUnderWay = true;
    setImmediate(() => void this.#write());
  }

  async #write(): Promise<void> {
    await this.#writePending();
    this.#isUnderWay = false;
    if (this.#pending.length > 0) this.#writeSoon();
  }

  async #writePending(): Promise<void> {
    const lines = this.#pending;
    this.#pending = [];
    try {
      // A synchronous write to the system's memory is faster than handing it to another thread; only the disk is
      // slow.
      const bytes = Buffer.from(lines.map(({ text }) => text).join(''));
      appendFileSync(this.#handle.fd, bytes);
      this.#size += bytes.length;
      // Others only append that the run died: by octavo unlock, or after a long silence.
      if (fstatSync(this.#handle.fd).size !== this.#size) throw new Error('another run ended it');
      if (lines.some(({ resolve }) => resolve !== undefined)) await this.#handle.datasync();
      for (const { resolve } of lines) resolve?.();
    } catch (error) {
      const failure = this.#folder.problem(error);
      this.#failure = failure;
      for (const { reject } of [...lines, ...this.#pending]) reject?.(failure);
      this.#pending = [];
    }
  }
}

/** Ends the journal of a run that died. Never throws: a journal that cannot be written is reported again. */
export async function appendEnding(file: string, time: Date): Promise<void> {
  const entry: JournalEntry = { type: 'end', time: time.toISOString(), outcome: 'died' };
  // The last line may be cut off: start on a new line.
  await appendFile(file, `\n${lineOf(entry)}`).catch(() => undefined);
}

function lineOf(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** Writes the journal of one run. A request is on the disk before it is sent. */
import type { ApplyJournal, JournalRequest, JournalResponse } from '../../apply/journal.ts';
import { defined } from '../../util/defined.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import type { JournalEnding, JournalEntry, JournalHeader } from './entry.ts';
import type { JournalStore } from './journal-folder.ts';

const keptRuns = 200;
const alwaysKept = 20;
/** Maximum total size of journals in bytes, without the ones that are always kept. */
const keptBytes = 64 * 2 ** 20;

/** Lines of one turn of the event loop, or that arrive while the disk is busy, are written together. */
interface JournalBatch {
  text: string;
  isFlushed: boolean;
  readonly written: Promise<void>;
}

export class JournalWriter implements ApplyJournal {
  readonly #store: JournalStore;
  readonly #run: string;
  readonly #now: () => Date;
  readonly #about: Pick<JournalEnding, 'service' | 'organizations' | 'undoes'>;
  /** Still takes lines. */
  #batch: JournalBatch | undefined;
  /** Rejects after a failure, and so does every later write. */
  #written = Promise.resolve();
  /** Unit: bytes. */
  #size = 0;

  private constructor(
    store: JournalStore,
    header: Pick<JournalHeader, 'run' | 'service' | 'organizations' | 'undoes'>,
    now: () => Date,
  ) {
    const { run, service, organizations, undoes } = header;
    this.#store = store;
    this.#run = run;
    const labels = organizations.map(({ label }) => label);
    this.#about = { service, organizations: labels, ...defined({ undoes }) };
    this.#now = now;
  }

  /** @throws DiagnosticError (`journal`) if it cannot be written. */
  static async open(
    store: JournalStore,
    header: Omit<JournalHeader, 'type' | 'format' | 'time'>,
    now: () => Date,
  ): Promise<JournalWriter> {
    await store.begin(header.run).catch((error: unknown) => {
      throw problem(store, error);
    });
    removeOldest(store, header.run);
    const writer = new JournalWriter(store, header, now);
    try {
      await writer.#add({ type: 'run', format: 1, time: now().toISOString(), ...header }, true);
    } catch (error) {
      await store.end(header.run);
      throw error;
    }
    return writer;
  }

  request(entry: JournalRequest): Promise<void> {
    return this.#add({ type: 'request', time: this.#now().toISOString(), ...entry }, true);
  }

  response(entry: JournalResponse): void {
    void this.#add({ type: 'response', time: this.#now().toISOString(), ...entry });
  }

  step(entry: Omit<Extract<JournalEntry, { type: 'step' }>, 'type' | 'time'>): void {
    void this.#add({ type: 'step', time: this.#now().toISOString(), ...entry });
  }

  /** Never throws, because the requests have been sent. Returns the reason if the journal could not be completed. */
  async end(
    ids: Extract<JournalEntry, { type: 'ids' }>['ids'],
    ending: Pick<JournalEnding, 'outcome' | 'pending' | 'leftover'>,
  ): Promise<string | undefined> {
    const time = this.#now().toISOString();
    // A separate line keeps the last line short; later runs read only that one if the run is complete.
    void this.#add({ type: 'ids', time, ids });
    const ended = this.#add({ type: 'end', time, ...this.#about, ...ending }, true);
    const reason = await ended.then(
      () => undefined,
      ({ message }: Error) => message,
    );
    await this.#store.end(this.#run).catch(() => undefined);
    return reason;
  }

  #add(entry: JournalEntry, isFlushed = false): Promise<void> {
    this.#batch ??= this.#begin();
    const batch = this.#batch;
    batch.text += lineOf(entry);
    batch.isFlushed ||= isFlushed;
    return batch.written;
  }

  /** Waits for the end of this turn: outcomes of responses that arrive together, and the next requests, become a single write. */
  #begin(): JournalBatch {
    const turn = () => new Promise((done) => setImmediate(done));
    this.#written = this.#written.then(turn).then(() => this.#write(batch));
    const batch: JournalBatch = { text: '', isFlushed: false, written: this.#written };
    // Not every line is waited for.
    batch.written.catch(() => undefined);
    return batch;
  }

  async #write({ text, isFlushed }: JournalBatch): Promise<void> {
    this.#batch = undefined;
    try {
      this.#size += Buffer.byteLength(text);
      this.#store.append(this.#run, text);
      // Others only append that the run died: by octavo unlock, or after a long silence.
      if (this.#store.size(this.#run) !== this.#size) throw new Error('another run ended it');
      if (isFlushed) await this.#store.flush(this.#run);
    } catch (error) {
      throw problem(this.#store, error);
    }
  }
}

/** Never throws. */
function removeOldest(store: JournalStore, own: string): void {
  let bytes = 0;
  const others = store.runs().filter((run) => run !== own);
  for (const [index, run] of others.reverse().entries()) {
    try {
      bytes += store.size(run);
      if (index >= keptRuns || (index >= alwaysKept && bytes > keptBytes)) store.remove(run);
    } catch {
      // Another run may remove the same journals.
    }
  }
}

function problem({ name }: JournalStore, error: unknown): Error {
  return userError(
    'journal',
    `cannot write the journal in ${name}: ${reasonOf(error)}`,
    'make the folder writable: no request is sent before it is in the journal',
  );
}

/** Ends the journal of a run that died. Never throws: a journal that cannot be written is reported again. */
export function appendEnding(store: JournalStore, run: string, time: Date): void {
  try {
    // The last line may be cut off: start on a new line.
    store.append(run, `\n${deathAt(time)}`);
  } catch {
    // It cannot be written.
  }
}

/** The text of a journal; that of a run that could not write its end, as on a full disk, ends like that of one that died. */
export function endedText(text: string, time: Date): string {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1);
  return /\n\{"type":"end".*\n$/.test(lines) ? lines : `${lines}${deathAt(time)}`;
}

function deathAt(time: Date): string {
  return lineOf({ type: 'end', time: time.toISOString(), outcome: 'died' });
}

function lineOf(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

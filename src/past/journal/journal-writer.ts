/** Writes the journal of one run. A request is on the disk before it is sent. */
import { defined } from '../../util/defined.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import type { JournalEnding, JournalHeader, UntimedEntry } from './entry.ts';
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

export interface JournalTarget {
  /** Absent if the run is only printed. */
  readonly store?: JournalStore | undefined;
  readonly now: () => Date;
  /** Gets each line, with its line break. */
  readonly print?: ((line: string) => void) | undefined;
}

export class JournalWriter {
  readonly #target: JournalTarget;
  readonly #run: string;
  readonly #about: Omit<JournalEnding, 'time' | 'outcome'>;
  /** Still takes lines. */
  #batch: JournalBatch | undefined;
  /** Rejects after a failure, and so does every later write. */
  #written = Promise.resolve();
  /** Unit: bytes. */
  #size = 0;

  private constructor(target: JournalTarget, run: string, about: Omit<JournalEnding, 'time' | 'outcome'>) {
    this.#target = target;
    this.#run = run;
    this.#about = about;
  }

  /** `ending`: known already. @throws DiagnosticError (`journal`) if it cannot be written. */
  static async open(
    target: JournalTarget,
    header: Omit<JournalHeader, 'type' | 'format' | 'time'>,
    ending: Pick<JournalEnding, 'leftover'> = {},
  ): Promise<JournalWriter> {
    const { store } = target;
    await store?.begin(header.run).catch((error: unknown) => {
      throw problem(store, error);
    });
    if (store !== undefined) removeOldest(store, header.run);
    const { run, service, undoes } = header;
    const organizations = header.organizations.map(({ label }) => label);
    const about = { type: 'end', service, organizations, ...defined({ undoes }), ...ending } as const;
    const writer = new JournalWriter(target, run, about);
    try {
      await writer.add({ type: 'run', format: 1, ...header });
    } catch (error) {
      await store?.end(header.run);
      throw error;
    }
    return writer;
  }

  /** Never throws, because the requests have been sent. Returns the reason if the journal could not be completed. */
  async end(ending: Pick<JournalEnding, 'outcome' | 'pending' | 'stopped'>): Promise<string | undefined> {
    const reason = await this.add({ ...this.#about, ...ending }).then(
      () => undefined,
      ({ message }: Error) => message,
    );
    await this.#target.store?.end(this.#run).catch(() => undefined);
    return reason;
  }

  /** Resolves once the plan, a request or the end is on the disk. A failure is reported with the next of them. */
  add(entry: UntimedEntry): Promise<void> {
    const { now, print, store } = this.#target;
    const line = lineOf(entry, now());
    print?.(line);
    if (store === undefined) return Promise.resolve();
    this.#batch ??= this.#begin(store);
    const batch = this.#batch;
    batch.text += line;
    batch.isFlushed ||= ['run', 'request', 'end'].includes(entry.type);
    return batch.written;
  }

  /** Waits for the end of this turn: outcomes of responses that arrive together, and the next requests, become a single write. */
  #begin(store: JournalStore): JournalBatch {
    const turn = () => new Promise((done) => setImmediate(done));
    this.#written = this.#written.then(turn).then(() => this.#write(store, batch));
    const batch: JournalBatch = { text: '', isFlushed: false, written: this.#written };
    // Not every line is waited for.
    batch.written.catch(() => undefined);
    return batch;
  }

  async #write(store: JournalStore, { text, isFlushed }: JournalBatch): Promise<void> {
    this.#batch = undefined;
    const run = this.#run;
    try {
      this.#size += Buffer.byteLength(text);
      store.append(run, text);
      // Others only append that the run died: by octavo unlock, or after a long silence.
      if (store.size(run) !== this.#size) throw new Error('another run ended it');
      if (isFlushed) await store.flush(run);
    } catch (error) {
      throw problem(store, error);
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
  return lineOf({ type: 'end', outcome: 'died' }, time);
}

function lineOf(entry: UntimedEntry, time: Date): string {
  const { type, ...rest } = entry;
  return `${JSON.stringify({ type, time: time.toISOString(), ...rest })}\n`;
}

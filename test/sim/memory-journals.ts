/** Journals in memory. A crash of the machine loses what was not flushed. */
import type { JournalStore } from '../../src/past/journal/journal-folder.ts';

export class MemoryJournals implements JournalStore {
  readonly name = '.octavo/journal';
  /** Number of flushes so far. */
  flushes = 0;
  /** Called by each flush, which waits for it. */
  onFlush: () => Promise<void> | void = () => undefined;
  readonly #texts = new Map<string, string>();
  readonly #flushed = new Map<string, string>();

  runs = () => [...this.#texts.keys()].sort();
  lastLine = (run: string) => this.text(run).trimEnd().split('\n').at(-1) ?? '';
  size = (run: string) => Buffer.byteLength(this.text(run));
  append = (run: string, text: string) => void this.#texts.set(run, (this.#texts.get(run) ?? '') + text);
  end = async () => undefined;
  remove = (run: string) => void this.#texts.delete(run);

  text(run: string): string {
    const text = this.#texts.get(run);
    if (text === undefined) throw Object.assign(new Error(`no journal ${run}`), { code: 'ENOENT' });
    return text;
  }

  async begin(run: string): Promise<void> {
    if (this.#texts.has(run)) throw Object.assign(new Error(`${run} exists`), { code: 'EEXIST' });
    this.#texts.set(run, '');
  }

  async flush(run: string): Promise<void> {
    this.flushes += 1;
    await this.onFlush();
    this.#flushed.set(run, this.text(run));
  }

  crash(): void {
    for (const run of this.#texts.keys()) this.#texts.set(run, this.#flushed.get(run) ?? '');
  }
}

/** The files of locks in a folder: each created with its content complete, and only by one process. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { stableStringify } from '../../util/json.ts';
import { greatest } from '../../util/lists.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { type LockContent, parseLock } from './lock.ts';

/** The newest file of a lock. `content` is undefined where it was released. */
export interface Generation {
  readonly key: string;
  readonly number: number;
  readonly content: LockContent | undefined;
}

/** What a released lock is replaced by. */
const released = '{"format":1,"released":true}\n';

/** The files of all locks of a folder. Throws a DiagnosticError for what it cannot read or write. */
export class LockFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  keys(): readonly string[] {
    return [...new Set(this.#names().map(({ key }) => key))].sort();
  }

  newest(key: string): Generation | undefined {
    for (;;) {
      const number = greatest(this.#names().flatMap((one) => (one.key === key ? [one.number] : [])));
      if (number === 0) return undefined;
      const text = this.#read(this.#path(key, number));
      // A newer one came meanwhile, and this one was cleared away.
      if (text === undefined) continue;
      return { key, number, content: this.#contentOf(text, this.#path(key, number)) };
    }
  }

  /** Makes a generation. False where somebody else was faster. */
  create(key: string, number: number, content: LockContent): boolean {
    const draft = this.#draft(`${stableStringify(content, 2)}\n`);
    const file = this.#path(key, number);
    try {
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw this.#failure('create', file, error);
    } finally {
      rmSync(draft, { force: true });
    }
    const others = this.#names().filter((one) => one.key === key && one.number !== number);
    if (others.some((one) => one.number > number)) {
      // It was made too late: others took and released later ones, and cleared this one away.
      rmSync(file, { force: true });
      return false;
    }
    for (const other of others) rmSync(this.#path(key, other.number), { force: true });
    return true;
  }

  /** True while the generation was not released: only then may there be a newer one, as long as its process lives. */
  isCurrent({ key, number, content }: Generation): boolean {
    const file = this.#path(key, number);
    const text = this.#read(file);
    return text !== undefined && this.#contentOf(text, file)?.run === content?.run;
  }

  /** Releases the generation; false where that was done already. */
  release(generation: Generation): boolean {
    if (!this.isCurrent(generation)) return false;
    const draft = this.#draft(released);
    const file = this.#path(generation.key, generation.number);
    try {
      renameSync(draft, file);
    } catch (error) {
      rmSync(draft, { force: true });
      throw this.#failure('release', file, error);
    }
    return true;
  }

  #names(): readonly { readonly key: string; readonly number: number }[] {
    let names: readonly string[];
    try {
      names = readdirSync(this.#folder);
    } catch (error) {
      throw this.#failure('read', this.#folder, error);
    }
    return names.flatMap((name) => {
      const [, key = '', number = ''] = /^([0-9a-f]{32})\.([1-9]\d{0,14})\.json$/.exec(name) ?? [];
      return key === '' ? [] : [{ key, number: Number(number) }];
    });
  }

  #path(key: string, number: number): string {
    return path.join(this.#folder, `${key}.${number}.json`);
  }

  #read(file: string): string | undefined {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.#failure('read', file, error);
    }
  }

  #contentOf(text: string, file: string): LockContent | undefined {
    if (text === released) return undefined;
    const content = parseLock(text);
    if (content !== undefined) return content;
    throw userError(
      'lock',
      `the lock file ${file} is damaged`,
      'make sure that no apply is running on this machine, then delete the file',
    );
  }

  /** A complete file beside the locks, readable by its owner alone. */
  #draft(text: string): string {
    const draft = path.join(this.#folder, `.${randomBytes(8).toString('hex')}.tmp`);
    try {
      const handle = openSync(draft, 'wx', 0o600);
      try {
        writeFileSync(handle, text);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      return draft;
    } catch (error) {
      rmSync(draft, { force: true });
      throw this.#failure('create', draft, error);
    }
  }

  #failure(what: string, file: string, error: unknown): Error {
    const reason = reasonOf(error);
    return userError(
      'lock',
      `cannot ${what} the lock ${file}: ${reason}`,
      'set XDG_STATE_HOME to a folder on a local disk that can be written to, or pass --no-lock',
    );
  }
}

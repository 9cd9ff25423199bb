/**
 * Writes files completely or not at all: a draft next to the file is flushed to the disk, then renamed. Apart from journals, nothing
 * else writes files.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { chunksOf } from '../../util/chunks.ts';
import { systemReason, userError, writeAdvice } from '../../util/user-error.ts';
import type { FileGroup, HalfWritten } from './half-written.ts';
import { displayName, draftPrefix, groupIn, nearestWith } from './paths.ts';

/** All changes of the disk. A process may be killed before each of them. */
export interface FileEffects {
  makeFolder(folder: string, options: { readonly recursive?: boolean; readonly mode?: number }): unknown;
  /** Writes a new file to the disk, with the mode and, if allowed, the owner of another one. A mode is before the umask. */
  create(file: string, text: string | Generator<string>, like: Stats | number): void;
  append(file: string, text: string): void;
  rename(from: string, to: string): void;
  /** With everything in a folder. No effect if there is nothing. */
  remove(file: string): void;
}

const diskEffects: FileEffects = {
  makeFolder: mkdirSync,
  create: (file, text, like) => {
    const handle = openSync(file, 'wx', typeof like === 'number' ? like : 0o600);
    try {
      for (const chunk of chunksOf(text)) writeFileSync(handle, chunk);
      if (typeof like !== 'number') keepOwnerAndMode(handle, like);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  },
  append: appendFileSync,
  rename: (from, to) => {
    renameSync(from, to);
    syncFolder(path.dirname(to));
  },
  remove: (file) => rmSync(file, { recursive: true, force: true }),
};

export interface FileEdit {
  readonly name: string;
  /** Path to write, with all links resolved. */
  readonly real: string;
  /** Absent for a new file. */
  readonly before?: string | undefined;
  readonly text: string;
}

/** Time in milliseconds after which no process is still writing. */
const staleAfter = 3_600_000;

export class WorkFolder {
  /** For files that need no draft. */
  readonly effects: FileEffects;

  constructor(effects = diskEffects) {
    this.effects = effects;
  }

  /**
   * Keeps the mode and, if allowed, the owner of the file that it replaces.
   * @throws the system's error, or an Error with the reason.
   * @param mode of a new file, before the umask.
   */
  put(file: string, text: string | Generator<string>, mode?: number): void {
    const draft = this.#draft(file, text, mode);
    try {
      this.effects.rename(path.join(draft, 'draft'), file);
    } finally {
      this.#discard(draft);
    }
  }

  /**
   * Writes drafts first, then renames all of them, unless a file was changed; if that fails, the files are as before. `command`: the
   * command to run again.
   * @param unit `each`: each file is correct without the others; otherwise no manifests are read between the first and the last one.
   * @throws DiagnosticError
   */
  write(edits: readonly FileEdit[], command: string, unit: 'all' | 'each' = 'all'): void {
    const drafts: (FileEdit & { readonly draft: string })[] = [];
    const placed: FileEdit[] = [];
    const help = `run ${command} again\nnothing was written`;
    let current = '';
    try {
      for (const edit of edits) {
        current = edit.name;
        this.effects.makeFolder(path.dirname(edit.real), { recursive: true });
        drafts.push({ ...edit, draft: this.#draft(edit.real, edit.text) });
      }
      for (const { name, real, before } of edits)
        if (textIn(real) !== before)
          throw userError('changed', `${name} was changed while ${command} ran`, help);
      for (const { draft } of unit === 'all' && drafts.length > 1 ? drafts : []) {
        const files = drafts.map(({ draft: other, real, before, text }) => {
          const name = path.basename(real);
          return { folder: path.relative(draft, other), name, before, after: text };
        });
        const group: FileGroup = { command, files };
        this.effects.create(groupIn(draft), JSON.stringify(group), 0o600);
      }
      for (const one of drafts) {
        current = one.name;
        this.effects.rename(path.join(one.draft, 'draft'), one.real);
        placed.push(one);
      }
    } catch (error) {
      for (const { real, before, text } of placed) this.#restore(real, before, text);
      const reason = systemReason(error);
      if (reason === undefined) throw error;
      throw userError('write', `cannot write ${current}: ${reason}`, `${writeAdvice(error)}, and ${help}`);
    } finally {
      for (const { draft } of drafts) this.#discard(draft);
    }
    const byFolder = new Map(edits.map(({ real }) => [path.dirname(real), real]));
    for (const [folder, written] of byFolder) this.#removeOldDrafts(folder, written);
  }

  /** Restores the files of an interrupted command, so that it can be run again. */
  restore({ command, placed, waiting, diagnostics }: HalfWritten, cwd: string): void {
    for (const { folder, name, before, after } of placed) {
      const file = path.join(path.dirname(folder), path.basename(name));
      if (this.#restore(file, before, after)) continue;
      const message = `${displayName(file, cwd)} was changed after octavo ${command} was interrupted`;
      throw userError('changed', message, diagnostics[0]?.suggestion?.replace(/^.*\n/, ''));
    }
    for (const { folder } of [...placed, ...waiting]) this.#discard(folder);
  }

  /**
   * Checks that a file can be written, without changing it.
   * @throws the system's error, or an Error with the reason.
   */
  requireWritable(file: string): void {
    refuseLinks(file);
    const isThere = existsSync(file);
    if (isThere && statSync(file).isDirectory()) throw new Error('it is a folder');
    const target = isThere ? realpathSync(file) : file;
    const draft = this.#draft(target, '');
    this.#discard(draft);
    if (isThere) accessSync(target, constants.W_OK);
  }

  /** Returns the folder of the draft, which is removed on failure. */
  #draft(file: string, text: string | Generator<string>, mode = 0o666): string {
    refuseLinks(file);
    const former = statSync(file, { throwIfNoEntry: false });
    // Renaming would replace a device or a pipe.
    if (former?.isFile() === false) throw new Error('it is not a regular file');
    const folder = path.dirname(file);
    if (statSync(folder, { throwIfNoEntry: false }) === undefined)
      throw new Error('its folder does not exist');
    // On the same file system, and ignored by git even if the process is killed.
    const draft = path.join(folder, `${draftPrefix}${randomBytes(4).toString('hex')}`);
    this.effects.makeFolder(draft, { mode: 0o700 });
    try {
      this.effects.append(path.join(draft, '.gitignore'), '*\n');
      this.effects.create(path.join(draft, 'draft'), text, former ?? mode);
    } catch (error) {
      this.#discard(draft);
      throw error;
    }
    return draft;
  }

  #discard(draft: string): void {
    // Without its group, the draft does not belong to the others any more.
    this.effects.remove(groupIn(draft));
    this.effects.remove(draft);
  }

  /** False if the file was changed since. */
  #restore(file: string, before: string | undefined, after: string): boolean {
    const now = textIn(file);
    if (now !== after) return now === before;
    if (before === undefined) this.effects.remove(file);
    else this.put(file, before);
    return true;
  }

  /** Removes drafts of killed processes. Never throws. `now`: a newly written file, because the folder may have another clock. */
  #removeOldDrafts(folder: string, now: string): void {
    try {
      const today = statSync(now).mtimeMs;
      for (const name of readdirSync(folder)) {
        const draft = path.join(folder, name);
        if (!name.startsWith(draftPrefix) || !lstatSync(draft).isDirectory()) continue;
        if (today - statSync(draft).mtimeMs > staleAfter) this.effects.remove(draft);
      }
    } catch {
      // Remaining drafts are hidden, and git ignores them.
    }
  }
}

/** For callers without a world. */
export const workFolder = new WorkFolder();

export function textIn(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function keepOwnerAndMode(handle: number, { uid, gid, mode }: Stats): void {
  try {
    fchownSync(handle, uid, gid);
  } catch {
    // The file then belongs to its writer, as with most editors.
  }
  fchmodSync(handle, mode & 0o7777);
}

/** Flushes the new name; some systems cannot do that for folders. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    fsyncSync(handle);
    closeSync(handle);
  } catch {
    // The file itself is on the disk.
  }
}

/**
 * A link in a checkout may lead anywhere, and its author need not be the user.
 * @throws an Error with the reason.
 */
export function refuseLinks(file: string): void {
  for (let at = file; path.dirname(at) !== at; at = path.dirname(at)) {
    const isLink = lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (isLink && nearestWith(path.dirname(at), ['.git']) !== undefined)
      throw new Error(`${path.basename(at)} is a link in a checkout`);
  }
}

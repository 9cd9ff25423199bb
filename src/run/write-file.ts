/** Writes files completely or not at all: a draft next to the file is flushed to the disk, then renamed. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { draftPrefix, groupIn } from '../manifest/files/half-written.ts';
import { chunksOf } from '../util/chunks.ts';

export interface FileDraft {
  readonly folder: string;
  /** Like `commit`, but keeps the folder. */
  readonly place: () => void;
  readonly commit: () => void;
  /** No effect after `commit`. */
  readonly discard: () => void;
}

/** @throws the system's error. */
export function writeWhole(...given: Parameters<typeof draftFile>): void {
  const draft = draftFile(...given);
  try {
    draft.commit();
  } finally {
    draft.discard();
  }
}

/**
 * Keeps the mode and, if allowed, the owner of the file that it will replace. Removes the draft on failure.
 * @throws the system's error.
 * @param mode of a new file, before the umask.
 */
export function draftFile(file: string, text: string | Generator<string>, mode = 0o666): FileDraft {
  refuseLinks(file);
  const folder = path.dirname(file);
  // The draft is on the same file system, and is ignored by git even if the process is killed.
  const draftFolder = path.join(folder, `${draftPrefix}${randomBytes(4).toString('hex')}`);
  const draft = path.join(draftFolder, 'draft');
  const discard = () => discardDraft(draftFolder);
  mkdirSync(draftFolder, 0o700);
  try {
    writeFileSync(path.join(draftFolder, '.gitignore'), '*\n');
    writeDraft(draft, text, existsSync(file) ? statSync(file) : mode);
  } catch (error) {
    discard();
    throw error;
  }
  const place = () => {
    renameSync(draft, file);
    syncFolder(folder);
  };
  const commit = () => {
    place();
    discard();
  };
  return { folder: draftFolder, place, commit, discard };
}

export function discardDraft(folder: string): void {
  // Without its group, the draft does not belong to the others any more.
  rmSync(groupIn(folder), { force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** Time in milliseconds after which no process is still writing. */
const staleAfter = 3_600_000;

/** Removes drafts of killed processes. Never throws. `now`: a newly written file, because the folder may have another clock. */
export function removeOldDrafts(folder: string, now: string): void {
  try {
    const today = statSync(now).mtimeMs;
    for (const name of readdirSync(folder)) {
      const draft = path.join(folder, name);
      if (!name.startsWith(draftPrefix) || !lstatSync(draft).isDirectory()) continue;
      if (today - statSync(draft).mtimeMs > staleAfter) rmSync(draft, { recursive: true, force: true });
    }
  } catch {
    // Remaining drafts are hidden, and git ignores them.
  }
}

function writeDraft(draft: string, text: string | Generator<string>, former: Stats | number): void {
  const handle = openSync(draft, 'wx', typeof former === 'number' ? former : 0o600);
  try {
    for (const chunk of chunksOf(text)) writeFileSync(handle, chunk);
    if (typeof former !== 'number') fchmodSync(handle, former.mode & 0o7777);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  if (typeof former !== 'number') keepOwner(draft, former);
}

function keepOwner(draft: string, { uid, gid }: Stats): void {
  const own = statSync(draft);
  if (own.uid === uid && own.gid === gid) return;
  try {
    chownSync(draft, uid, gid);
  } catch {
    // The file then belongs to its writer, as with most editors.
  }
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
    if (isLink && isInCheckout(path.dirname(at)))
      throw new Error(`${path.basename(at)} is a link in a checkout`);
  }
}

function isInCheckout(folder: string): boolean {
  const above = path.dirname(folder);
  return existsSync(path.join(folder, '.git')) || (above !== folder && isInCheckout(above));
}

/**
 * Checks that a file can be written, without changing it.
 *
 * @returns its path, with links resolved: a link is kept, and its target is replaced.
 * @throws the system's error, or an Error with the reason.
 */
export function requireWritable(file: string, mode?: number): string {
  refuseLinks(file);
  const target = existsSync(file) ? realpathSync(file) : file;
  if (existsSync(target)) {
    const state = statSync(target);
    if (state.isDirectory()) throw new Error('it is a folder');
    if (!state.isFile()) throw new Error('it is not a regular file');
    accessSync(target, constants.W_OK);
  }
  draftFile(target, '', mode).discard();
  return target;
}

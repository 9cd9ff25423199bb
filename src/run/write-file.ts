/** Writes files as a whole or not at all: beside the file first, on the disk, then into its place. */
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { chunksOf } from '../util/chunks.ts';

/** New text of a file that waits beside it. */
export interface FileDraft {
  /** Moves the text into its place. */
  readonly commit: () => void;
  /** Removes the draft; does nothing once it is in its place. */
  readonly discard: () => void;
}

/** Writes the file as a whole or not at all. Throws the system's error where that is not possible. */
export function writeWhole(...given: Parameters<typeof draftFile>): void {
  const draft = draftFile(...given);
  try {
    draft.commit();
  } finally {
    draft.discard();
  }
}

/**
 * Writes a draft, with the mode and, where that is allowed, the owner of the file that it will replace. Throws the
 * system's error where that is not possible; nothing is left behind then.
 *
 * @param mode of a new file, before the process's mask.
 */
export function draftFile(file: string, text: string | Generator<string>, mode = 0o666): FileDraft {
  const folder = path.dirname(file);
  const draft = path.join(folder, `.${path.basename(file)}.${randomBytes(4).toString('hex')}.tmp`);
  const discard = () => rmSync(draft, { force: true });
  try {
    writeDraft(draft, text, existsSync(file) ? statSync(file) : mode);
  } catch (error) {
    discard();
    throw error;
  }
  const commit = () => {
    renameSync(draft, file);
    syncFolder(folder);
  };
  return { commit, discard };
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
    // The file then belongs to who wrote it, as with most editors.
  }
}

/** Makes sure that the new name lasts; systems that cannot do that for folders do without. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    fsyncSync(handle);
    closeSync(handle);
  } catch {
    // The file itself is on the disk.
  }
}

/** Writes edited files: each as a whole, and none when one of them cannot be written. */
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { systemReason, userError } from '../../util/user-error.ts';
import type { FileEdit } from './edit-files.ts';

/** Writes beside the files first, then moves all into place. Throws a DiagnosticError that says what was written. */
export function writeFiles(edits: readonly FileEdit[]): void {
  const drafts: { edit: FileEdit; draft: string }[] = [];
  const done: string[] = [];
  let current = '';
  try {
    for (const edit of edits) {
      current = edit.name;
      const draft = path.join(
        path.dirname(edit.real),
        `.${path.basename(edit.real)}.${randomBytes(4).toString('hex')}.tmp`,
      );
      drafts.push({ edit, draft });
      writeDraft(draft, edit);
    }
    for (const { edit } of drafts) refuseChanged(edit);
    for (const { edit, draft } of drafts) {
      current = edit.name;
      renameSync(draft, edit.real);
      done.push(edit.name);
    }
    for (const folder of new Set(edits.map(({ real }) => path.dirname(real)))) syncFolder(folder);
  } catch (error) {
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    throw userError(
      'write',
      `cannot write ${current}: ${reason}`,
      `check the permissions of its folder, and run adopt again\n${done.length === 0 ? 'nothing was written' : `only ${done.join(', ')} was written`}`,
    );
  } finally {
    for (const { draft } of drafts) rmSync(draft, { force: true });
  }
}

/** A new file with the text, the mode and, where that is allowed, the owner of the old one. */
function writeDraft(draft: string, { real, text }: FileEdit): void {
  const { mode, uid, gid } = statSync(real);
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fchmodSync(file, mode & 0o7777);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const own = statSync(draft);
  if (own.uid === uid && own.gid === gid) return;
  try {
    chownSync(draft, uid, gid);
  } catch {
    // The file then belongs to who wrote it, as with most editors.
  }
}

function refuseChanged({ name, real, before }: FileEdit): void {
  if (readFileSync(real).equals(before)) return;
  throw userError('changed', `${name} was changed while adopt ran`, 'run adopt again\nnothing was written');
}

/** Makes sure that the new names last; systems that cannot do that for folders do without. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    fsyncSync(handle);
    closeSync(handle);
  } catch {
    // The files themselves are on the disk.
  }
}

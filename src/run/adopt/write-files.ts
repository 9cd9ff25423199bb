/** Writes edited files: each as a whole, and none when one of them cannot be written. */
import { readFileSync } from 'node:fs';
import { systemReason, userError } from '../../util/user-error.ts';
import { draftFile, type FileDraft } from '../write-file.ts';
import type { FileEdit } from './edit-files.ts';

/** Writes beside the files first, then moves all into place. Throws a DiagnosticError that says what was written. */
export function writeFiles(edits: readonly FileEdit[]): void {
  const drafts: { readonly edit: FileEdit; readonly draft: FileDraft }[] = [];
  const done: string[] = [];
  let current = '';
  try {
    for (const edit of edits) {
      current = edit.name;
      drafts.push({ edit, draft: draftFile(edit.real, edit.text) });
    }
    for (const { edit } of drafts) refuseChanged(edit);
    for (const { edit, draft } of drafts) {
      current = edit.name;
      draft.commit();
      done.push(edit.name);
    }
  } catch (error) {
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    throw userError(
      'write',
      `cannot write ${current}: ${reason}`,
      `check the permissions of its folder, and run adopt again\n${done.length === 0 ? 'nothing was written' : `only ${done.join(', ')} was written`}`,
    );
  } finally {
    for (const { draft } of drafts) draft.discard();
  }
}

function refuseChanged({ name, real, before }: FileEdit): void {
  if (readFileSync(real).equals(before)) return;
  throw userError('changed', `${name} was changed while adopt ran`, 'run adopt again\nnothing was written');
}

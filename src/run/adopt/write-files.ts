/** Writes edited files: each as a whole, and none when one of them cannot be written. */
import { readFileSync } from 'node:fs';
import { systemReason, userError } from '../../util/user-error.ts';
import { draftFile, type FileDraft } from '../write-file.ts';
import type { FileEdit } from './edit-files.ts';

/** A file and its new text. */
export type WritableText = Pick<FileEdit, 'name' | 'real' | 'before' | 'text'>;

/**
 * Writes beside the files first, then moves all into place. `command`: what is told to be run again. Throws a
 * DiagnosticError that says what was written.
 */
export function writeFiles(edits: readonly WritableText[], command = 'adopt'): void {
  const drafts: { readonly edit: WritableText; readonly draft: FileDraft }[] = [];
  const done: string[] = [];
  let current = '';
  try {
    for (const edit of edits) {
      current = edit.name;
      drafts.push({ edit, draft: draftFile(edit.real, edit.text) });
    }
    for (const { edit } of drafts) refuseChanged(edit, command);
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
      `check the permissions of its folder, and run ${command} again\n${done.length === 0 ? 'nothing was written' : `only ${done.join(', ')} was written`}`,
    );
  } finally {
    for (const { draft } of drafts) draft.discard();
  }
}

function refuseChanged({ name, real, before }: WritableText, command: string): void {
  if (readFileSync(real).equals(before)) return;
  throw userError(
    'changed',
    `${name} was changed while ${command} ran`,
    `run ${command} again\nnothing was written`,
  );
}

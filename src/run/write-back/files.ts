/** Opens files for editing, as they were read, and writes all of them or none. */
import { accessSync, constants, existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isOutside } from '../../manifest/files/paths.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { DiagnosticCode } from '../../util/diagnostic-codes.ts';
import { reasonOf, systemReason, userError, writeAdvice } from '../../util/user-error.ts';
import { draftFile, type FileDraft, removeOldDrafts } from '../write-file.ts';

export interface OpenedFile {
  readonly name: string;
  /** Path to write, with all links resolved. */
  readonly real: string;
  readonly before: Buffer;
  readonly text: string;
}

/** Command that shows the changes, by command. */
const shows: Readonly<Record<string, string | undefined>> = {
  fmt: 'octavo fmt --diff',
  'drift --pin': 'octavo drift --pin --dry-run',
  'drift --accept': 'octavo drift --accept --dry-run',
  mv: 'octavo mv --dry-run',
};

export interface OpenOptions {
  readonly cwd: string;
  readonly sources: ReadonlyMap<string, string>;
  /** False in a dry run: files need not be writable. */
  readonly toBeWritten: boolean;
  readonly command: string;
}

/** Refuses a file that changed since it was read, or cannot be written in place. */
export function openForEdit(
  name: string,
  { cwd, sources, toBeWritten, command }: OpenOptions,
): OpenedFile | Diagnostic {
  const refuse = (code: DiagnosticCode, message: string, suggestion: string): Diagnostic => ({
    severity: 'error',
    code,
    message: `${name} ${message}`,
    suggestion: `${suggestion}\nnothing was written`,
  });
  try {
    const given = path.resolve(cwd, name);
    const real = realpathSync(given);
    if (pointsOutside(given, real, realpathSync(cwd)))
      return refuse(
        'link-outside',
        'is a link to a place outside of the repository',
        'edit its target where it is, or replace the link',
      );
    const before = readFileSync(real);
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(before);
    if (text.replace(/^\uFEFF/, '') !== sources.get(name)) {
      return refuse('changed', 'was changed after it was read', `run ${command} again`);
    }
    if (toBeWritten && isReadOnly(real)) {
      return refuse(
        'read-only',
        'is read-only',
        shows[command] === undefined
          ? 'make it writable'
          : `make it writable, or edit it by hand: ${shows[command]} shows what`,
      );
    }
    return { name, real, before, text };
  } catch (error) {
    const reason = reasonOf(error);
    return refuse('unreadable', `cannot be read: ${reason}`, 'check the file and its permissions');
  }
}

/** Renaming in the folder could still replace the file, but its mode should be respected. */
function isReadOnly(file: string): boolean {
  if ((statSync(file).mode & 0o222) === 0) return true;
  try {
    accessSync(file, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** True for a link out of the repository or, without a repository, out of the working folder. */
function pointsOutside(given: string, real: string, cwd: string): boolean {
  if (!lstatSync(given).isSymbolicLink()) return false;
  const folder = realpathSync(path.dirname(given));
  let root = folder;
  while (!existsSync(path.join(root, '.git'))) {
    if (path.dirname(root) === root) return isOutside(isOutside(cwd, folder) ? folder : cwd, real);
    root = path.dirname(root);
  }
  return isOutside(root, real);
}

/**
 * Writes drafts first, then renames all of them. `command`: the command to run again.
 * @throws DiagnosticError that lists written files.
 */
export function writeFiles(edits: readonly OpenedFile[], command: string): void {
  const drafts: { readonly edit: OpenedFile; readonly draft: FileDraft }[] = [];
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
      `${writeAdvice(error)}, and run ${command} again\n${done.length === 0 ? 'nothing was written' : `only ${done.join(', ')} was written`}`,
    );
  } finally {
    for (const { draft } of drafts) draft.discard();
    const byFolder = new Map(edits.map(({ real }) => [path.dirname(real), real]));
    for (const [folder, written] of byFolder) removeOldDrafts(folder, written);
  }
}

function refuseChanged({ name, real, before }: OpenedFile, command: string): void {
  if (readFileSync(real).equals(before)) return;
  throw userError(
    'changed',
    `${name} was changed while ${command} ran`,
    `run ${command} again\nnothing was written`,
  );
}

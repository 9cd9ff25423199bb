/** Opens files for editing, as they were read, and writes all of them or none. */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type FileGroup, groupIn, type HalfWritten } from '../../manifest/files/half-written.ts';
import { displayName, isOutside } from '../../manifest/files/paths.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { DiagnosticCode } from '../../util/diagnostic-codes.ts';
import { reasonOf, systemReason, userError, writeAdvice } from '../../util/user-error.ts';
import { discardDraft, draftFile, type FileDraft, removeOldDrafts, writeWhole } from '../write-file.ts';

export interface OpenedFile {
  readonly name: string;
  /** Path to write, with all links resolved. */
  readonly real: string;
  readonly before: string;
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
    const text = readFileSync(real, 'utf8');
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
    return { name, real, before: text, text };
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

export interface FileEdit extends Pick<OpenedFile, 'name' | 'real' | 'text'> {
  /** Absent for a new file. */
  readonly before?: string | undefined;
}

/**
 * Writes drafts first, then renames all of them; if that fails, the files are as before. `command`: the command to run again.
 * `each`: each file is correct without the others; otherwise no manifests are read between the first and the last one.
 * @throws DiagnosticError
 */
export function writeFiles(edits: readonly FileEdit[], command: string, unit: 'all' | 'each' = 'all'): void {
  const drafts: { readonly edit: FileEdit; readonly draft: FileDraft }[] = [];
  const placed: FileEdit[] = [];
  let current = '';
  try {
    for (const edit of edits) {
      current = edit.name;
      mkdirSync(path.dirname(edit.real), { recursive: true });
      drafts.push({ edit, draft: draftFile(edit.real, edit.text) });
    }
    for (const { edit } of drafts) refuseChanged(edit, command);
    for (const { draft } of unit === 'all' && drafts.length > 1 ? drafts : []) {
      const files = drafts.map(({ draft: { folder }, edit: { real, before, text } }) => {
        const name = path.basename(real);
        return { folder: path.relative(draft.folder, folder), name, before, after: text };
      });
      const group: FileGroup = { command, files };
      writeFileSync(groupIn(draft.folder), JSON.stringify(group), { mode: 0o600, flush: true });
    }
    for (const { edit, draft } of drafts) {
      current = edit.name;
      draft.place();
      placed.push(edit);
    }
  } catch (error) {
    for (const { real, before, text } of placed) restoreFile(real, before, text);
    for (const { draft } of drafts) draft.discard();
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    throw userError(
      'write',
      `cannot write ${current}: ${reason}`,
      `${writeAdvice(error)}, and run ${command} again\nnothing was written`,
    );
  }
  for (const { draft } of drafts) draft.discard();
  const byFolder = new Map(edits.map(({ real }) => [path.dirname(real), real]));
  for (const [folder, written] of byFolder) removeOldDrafts(folder, written);
}

function refuseChanged({ name, real, before }: FileEdit, command: string): void {
  if (textIn(real) === before) return;
  throw userError(
    'changed',
    `${name} was changed while ${command} ran`,
    `run ${command} again\nnothing was written`,
  );
}

function textIn(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** False if the file was changed since. */
function restoreFile(file: string, before: string | undefined, after: string): boolean {
  const now = textIn(file);
  if (now !== after) return now === before;
  if (before === undefined) rmSync(file);
  else writeWhole(file, before);
  return true;
}

/** Restores the files of an interrupted command, so that it can be run again. */
export function restoreFiles({ command, placed, waiting, diagnostics }: HalfWritten, cwd: string): void {
  for (const { folder, name, before, after } of placed) {
    const file = path.join(path.dirname(folder), path.basename(name));
    if (restoreFile(file, before, after)) continue;
    const message = `${displayName(file, cwd)} was changed after octavo ${command} was interrupted`;
    throw userError('changed', message, diagnostics[0]?.suggestion?.replace(/^.*\n/, ''));
  }
  for (const { folder } of [...placed, ...waiting]) discardDraft(folder);
}

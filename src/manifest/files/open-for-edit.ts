/** Opens a file for editing, as it was read. */
import { accessSync, constants, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { DiagnosticCode } from '../../util/diagnostic-codes.ts';
import { reasonOf } from '../../util/user-error.ts';
import { isOutside, nearestWith } from './paths.ts';
import type { FileEdit } from './work-folder.ts';

export type OpenedFile = Pick<FileEdit, 'name' | 'real'> & { readonly before: string };

export interface OpenOptions {
  readonly cwd: string;
  /** Without a byte order mark. */
  readonly expected: string;
  /** False in a dry run: files need not be writable. */
  readonly toBeWritten: boolean;
  readonly command: string;
}

/** Refuses a file that changed since it was read, or cannot be written in place. */
export function openForEdit(
  name: string,
  { cwd, expected, toBeWritten, command }: OpenOptions,
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
    const before = readFileSync(real, 'utf8');
    if (before.replace(/^\uFEFF/, '') !== expected)
      return refuse('changed', 'was changed after it was read', `run ${command} again`);
    if (!toBeWritten || !isReadOnly(real)) return { name, real, before };
    const shows = command === 'fmt' ? 'octavo fmt --diff' : `octavo ${command} --dry-run`;
    const instead = command === 'export' ? '' : `, or edit it by hand: ${shows} shows what`;
    return refuse('read-only', 'is read-only', `make it writable${instead}`);
  } catch (error) {
    return refuse('unreadable', `cannot be read: ${reasonOf(error)}`, 'check the file and its permissions');
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
  return isOutside(nearestWith(folder, ['.git']) ?? (isOutside(cwd, folder) ? folder : cwd), real);
}

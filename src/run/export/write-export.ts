/** Writes an export to files: all or none, and only replaces files of the same export. */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { disk } from '../../manifest/files/disk.ts';
import { refuseHalfWritten } from '../../manifest/files/half-written.ts';
import { displayName, isOutside } from '../../manifest/files/paths.ts';
import { type FileEdit, textIn, type WorkFolder, workFolder } from '../../manifest/files/work-folder.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import type { ManifestText } from './documents.ts';

export interface ExportedFile {
  /** Path for display; absent for a manifest on stdout. */
  readonly file?: string;
  /** Past or, in a dry run, planned action. */
  readonly action: 'created' | 'updated' | 'unchanged' | 'shown';
  /** Absent if the file was written. */
  readonly text?: string;
}

export interface WriteOptions {
  readonly cwd: string;
  /** Path relative to `cwd`: a file if it has an extension, else a folder. */
  readonly out: string;
  readonly dryRun: boolean;
  readonly command?: string;
  readonly folder?: WorkFolder;
}

export function isFileName(out: string): boolean {
  return /\.ya?ml$/i.test(out);
}

/** @throws DiagnosticError if other files are in the way, or a file cannot be written; then no file is written. */
export async function writeExport(
  texts: readonly ManifestText[],
  { cwd, out, dryRun, command = 'export', folder = workFolder }: WriteOptions,
): Promise<readonly ExportedFile[]> {
  const target = path.resolve(cwd, out);
  const root = isFileName(out) ? path.dirname(target) : target;
  const placed = texts.map(({ name, text }): FileEdit => {
    const real = root === target ? path.join(target, ...name.split('/')) : target;
    return { real, name: displayName(real, cwd), text, before: textAt(real, cwd) };
  });
  for (const one of new Set(placed.map(({ real }) => path.dirname(real))))
    await refuseHalfWritten(one, disk, cwd);
  const [taken] = placed.filter(({ before, text }) => before !== undefined && before !== text);
  if (taken !== undefined) {
    throw userError(
      'exists',
      `${taken.name} already exists, with different content`,
      'move the file away, or write to another folder; nothing was written',
    );
  }
  const fresh = placed.filter(({ before }) => before === undefined);
  if (!dryRun) {
    for (const one of fresh) refuseLink(one, root);
    folder.write(fresh, command);
  }
  return placed.map(({ name: file, before, text }) => ({
    file,
    action: before === undefined ? 'created' : 'unchanged',
    ...(dryRun ? { text } : {}),
  }));
}

function textAt(file: string, cwd: string): string | undefined {
  try {
    return textIn(file);
  } catch (error) {
    const message = `cannot write ${displayName(file, cwd)}: ${reasonOf(error)}`;
    throw userError('exists', message, 'write to another folder');
  }
}

/** A subfolder may be a link to anywhere. `root`: the folder passed by the user. */
function refuseLink({ real: file, name: shown }: FileEdit, root: string): void {
  if (!existsSync(root)) return;
  let folder = path.dirname(file);
  while (!existsSync(folder)) folder = path.dirname(folder);
  if (!isOutside(realpathSync(root), realpathSync(folder))) return;
  throw userError(
    'link-outside',
    `${shown} is behind a link to a place outside of ${path.basename(root)}`,
    'pass another --out',
  );
}

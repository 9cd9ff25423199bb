/** Writes an export to files: all or none, and only replaces files of the same export. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { disk } from '../../manifest/files/disk.ts';
import { refuseHalfWritten } from '../../manifest/files/half-written.ts';
import { displayName, isOutside } from '../../manifest/files/paths.ts';
import { systemReason, userError } from '../../util/user-error.ts';
import { type FileEdit, writeFiles } from '../write-back/files.ts';
import type { ManifestText } from './documents.ts';
import type { ExportedFile } from './export-report.ts';

export interface WriteOptions {
  readonly cwd: string;
  /** Path relative to `cwd`: a file if it has an extension, else a folder. */
  readonly out: string;
  readonly dryRun: boolean;
  readonly command?: string;
}

export function isFileName(out: string): boolean {
  return /\.ya?ml$/i.test(out);
}

/** @throws DiagnosticError if other files are in the way, or a file cannot be written; then no file is written. */
export async function writeExport(
  texts: readonly ManifestText[],
  options: WriteOptions,
): Promise<readonly ExportedFile[]> {
  const placed = texts.map((one) => placeOf(one, options));
  for (const folder of new Set(placed.map((one) => path.dirname(one.real))))
    await refuseHalfWritten(folder, disk, options.cwd);
  const [taken] = placed.filter(({ before, text }) => before !== undefined && before !== text);
  if (taken !== undefined) {
    throw userError(
      'exists',
      `${taken.name} already exists, with different content`,
      'move the file away, or write to another folder; nothing was written',
    );
  }
  const fresh = placed.filter(({ before }) => before === undefined);
  const { cwd, out, dryRun, command = 'export' } = options;
  const target = path.resolve(cwd, out);
  const root = isFileName(out) ? path.dirname(target) : target;
  for (const one of dryRun ? [] : fresh) refuseLink(one, root);
  if (!dryRun) writeFiles(fresh, command);
  return placed.map(({ name: file, before, text }) => ({
    file,
    action: before === undefined ? 'created' : 'unchanged',
    ...(options.dryRun ? { text } : {}),
  }));
}

function placeOf({ name, text }: ManifestText, { cwd, out }: WriteOptions): FileEdit {
  const target = path.resolve(cwd, out);
  const file = isFileName(out) ? target : path.join(target, ...name.split('/'));
  return { real: file, name: displayName(file, cwd), text, before: textIn(file, cwd) };
}

function textIn(file: string, cwd: string): string | undefined {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  } catch (error) {
    const isFolder = existsSync(file) && statSync(file).isDirectory();
    const reason = isFolder ? 'it is a folder' : (systemReason(error) ?? String(error));
    throw userError('exists', `cannot write ${displayName(file, cwd)}: ${reason}`, 'write to another folder');
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

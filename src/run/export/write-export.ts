/** Puts an export into files: all of them or none, and never over anything but the same export. */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { displayName } from '../../manifest/files/paths.ts';
import type { ExportedFile } from '../../report/results/export.ts';
import { systemReason, userError } from '../../util/user-error.ts';
import { draftFile, type FileDraft } from '../write-file.ts';
import type { ManifestText } from './documents.ts';

export interface WriteOptions {
  readonly cwd: string;
  /** A file, if it ends like one, or a folder; relative to `cwd`. */
  readonly out: string;
  readonly dryRun: boolean;
}

interface PlacedText {
  readonly path: string;
  readonly file: string;
  readonly text: string;
  readonly before: string | undefined;
}

export function isFileName(out: string): boolean {
  return /\.ya?ml$/i.test(out);
}

/** @throws DiagnosticError if anything else is there already, or a file cannot be written; nothing is written then. */
export function writeExport(texts: readonly ManifestText[], options: WriteOptions): readonly ExportedFile[] {
  const placed = texts.map((one) => placeOf(one, options));
  const [taken] = placed.filter(({ before, text }) => before !== undefined && before !== text);
  if (taken !== undefined) {
    throw userError(
      'export-exists',
      `${taken.file} already exists, with another text`,
      'pass another --out, or move the file away; nothing was written',
    );
  }
  const fresh = placed.filter(({ before }) => before === undefined);
  if (!options.dryRun) writeAll(fresh);
  return placed.map(({ file, before, text }) => ({
    file,
    action: before === undefined ? 'created' : 'unchanged',
    ...(options.dryRun ? { text } : {}),
  }));
}

function placeOf({ name, text }: ManifestText, { cwd, out }: WriteOptions): PlacedText {
  const target = path.resolve(cwd, out);
  const file = isFileName(out) ? target : path.join(target, ...name.split('/'));
  return { path: file, file: displayName(file, cwd), text, before: textIn(file, cwd) };
}

function textIn(file: string, cwd: string): string | undefined {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  } catch (error) {
    const isFolder = existsSync(file) && statSync(file).isDirectory();
    const reason = isFolder ? 'it is a folder' : (systemReason(error) ?? String(error));
    throw userError(
      'export-exists',
      `cannot write ${displayName(file, cwd)}: ${reason}`,
      'pass another --out',
    );
  }
}

function writeAll(texts: readonly PlacedText[]): void {
  const drafts: FileDraft[] = [];
  let current = '';
  try {
    for (const { path: file, file: shown, text } of texts) {
      current = shown;
      mkdirSync(path.dirname(file), { recursive: true });
      drafts.push(draftFile(file, text));
    }
    for (const draft of drafts) draft.commit();
  } catch (error) {
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    throw userError('write', `cannot write ${current}: ${reason}`, 'check the permissions of its folder');
  } finally {
    for (const draft of drafts) draft.discard();
  }
}

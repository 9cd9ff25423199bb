/** Writes an export to files: all or none, and only replaces files of the same export. */
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { displayName, isOutside } from '../../manifest/files/paths.ts';
import { systemReason, userError, writeAdvice } from '../../util/user-error.ts';
import { draftFile, type FileDraft } from '../write-file.ts';
import type { ManifestText } from './documents.ts';
import type { ExportedFile } from './export-report.ts';

export interface WriteOptions {
  readonly cwd: string;
  /** Path relative to `cwd`: a file if it has an extension, else a folder. */
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

/** @throws DiagnosticError if other files are in the way, or a file cannot be written; then no file is written. */
export function writeExport(texts: readonly ManifestText[], options: WriteOptions): readonly ExportedFile[] {
  const placed = texts.map((one) => placeOf(one, options));
  const [taken] = placed.filter(({ before, text }) => before !== undefined && before !== text);
  if (taken !== undefined) {
    throw userError(
      'exists',
      `${taken.file} already exists, with different content`,
      'move the file away, or write to another folder; nothing was written',
    );
  }
  const fresh = placed.filter(({ before }) => before === undefined);
  const target = path.resolve(options.cwd, options.out);
  if (!options.dryRun) writeAll(fresh, isFileName(options.out) ? path.dirname(target) : target);
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
    throw userError('exists', `cannot write ${displayName(file, cwd)}: ${reason}`, 'write to another folder');
  }
}

/** A subfolder may be a link to anywhere. */
function refuseLink(file: string, shown: string, root: string): void {
  const folder = realpathSync(path.dirname(file));
  if (!isOutside(realpathSync(root), folder)) return;
  throw userError(
    'link-outside',
    `${shown} is behind a link to a place outside of ${path.basename(root)}`,
    'pass another --out',
  );
}

/** `root`: the folder passed by the user. */
function writeAll(texts: readonly PlacedText[], root: string): void {
  const drafts: FileDraft[] = [];
  let current = '';
  try {
    for (const { path: file, file: shown, text } of texts) {
      current = shown;
      mkdirSync(path.dirname(file), { recursive: true });
      refuseLink(file, shown, root);
      drafts.push(draftFile(file, text));
    }
    for (const draft of drafts) draft.commit();
  } catch (error) {
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    throw userError('write', `cannot write ${current}: ${reason}`, writeAdvice(error));
  } finally {
    for (const draft of drafts) draft.discard();
  }
}

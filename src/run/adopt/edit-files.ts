/** Puts ids into the texts of files, in memory: nothing is written here, but what would prevent writing is found. */

import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { insertIds } from '../../manifest/insert-ids.ts';
import { leaves } from '../../manifest/paths.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import type { DiagnosticCode } from '../../util/diagnostic-codes.ts';
import { append } from '../../util/lists.ts';
import { reasonOf } from '../../util/user-error.ts';
import type { ManifestSource } from '../workspace.ts';
import type { Pin, SkippedPin } from './choose-pins.ts';

/** A file with its new text. */
export interface FileEdit {
  /** As people see it. */
  readonly name: string;
  /** The absolute path by which manifests are read. */
  readonly path: string;
  /** The path with all links resolved: the one that is written. */
  readonly real: string;
  /** What the file holds now. */
  readonly before: Buffer;
  readonly text: string;
  readonly inserted: readonly { readonly target: Pin; readonly line: number }[];
}

/** Where the files are, and what they held when the manifests were read. */
export interface EditOptions {
  readonly source: ManifestSource;
  readonly sources: ReadonlyMap<string, string>;
  /** True when the files will be written: then they must be writable. */
  readonly toBeWritten: boolean;
}

/** The same, and the command that edits. */
export interface OpenOptions extends EditOptions {
  /** For example `adopt`. */
  readonly command: string;
}

/** Edits, by file. Throws a DiagnosticError when a file is not as it was read, or cannot be written. */
export function editFiles(
  pins: readonly Pin[],
  options: EditOptions,
): { readonly edits: readonly FileEdit[]; readonly skipped: readonly SkippedPin[] } {
  const byFile = new Map<string, Pin[]>();
  for (const pin of pins) byFile.set(pin.file, [...(byFile.get(pin.file) ?? []), pin]);
  const edits: FileEdit[] = [];
  const skipped: SkippedPin[] = [];
  const problems: Diagnostic[] = [];
  const roots = rootsOf(options);
  for (const [name, own] of [...byFile].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const file = path.resolve(options.source.cwd, name);
    const opened = openForEdit(name, file, { ...options, command: 'adopt' });
    if ('code' in opened) {
      problems.push(opened);
      continue;
    }
    if (roots.every((root) => leaves(root, opened.real))) {
      const reason = 'the file is a link to outside the workspace';
      append(
        skipped,
        own.map((pin) => ({ pin, reason })),
      );
      continue;
    }
    const result = insertIds(opened.text, own);
    append(
      skipped,
      result.skipped.map(({ target, reason }) => ({ pin: target, reason })),
    );
    const { real, before } = opened;
    if (result.inserted.length > 0) {
      edits.push({ name, path: file, real, before, text: result.text, inserted: result.inserted });
    }
  }
  if (problems.length > 0) throw new DiagnosticError(problems);
  return { edits, skipped };
}

/** The folders that files may lie in, also after links are followed. */
function rootsOf({ source }: EditOptions): readonly string[] {
  const { cwd, files, overlayFiles } = source;
  const given = [...files, ...(overlayFiles?.keys() ?? [])].map((one) => path.resolve(cwd, one));
  const folders = given.map((one) => (statSync(one).isDirectory() ? one : path.dirname(one)));
  return [...new Set([cwd, ...folders].map((folder) => realpathSync(folder)))];
}

/** A file that is to be edited. */
export interface Opened {
  readonly real: string;
  readonly before: Buffer;
  /** With its byte-order mark. */
  readonly text: string;
}

/** Opens a file that is still as it was read, and that can be written where it will be. */
export function openForEdit(
  name: string,
  file: string,
  { sources, toBeWritten, command }: OpenOptions,
): Opened | Diagnostic {
  const refuse = (code: DiagnosticCode, message: string, suggestion: string): Diagnostic => ({
    severity: 'error',
    code,
    message: `${name} ${message}`,
    suggestion: `${suggestion}\nnothing was written`,
  });
  try {
    const real = realpathSync(file);
    const before = readFileSync(real);
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(before);
    if (text.replace(/^\uFEFF/, '') !== sources.get(name)) {
      return refuse('changed', 'was changed while the live state was read', `run ${command} again`);
    }
    if (toBeWritten && isReadOnly(real)) {
      return refuse(
        'read-only',
        'is read-only',
        `make it writable, or edit it by hand: octavo ${command} --dry-run shows what`,
      );
    }
    return { real, before, text };
  } catch (error) {
    const reason = reasonOf(error);
    return refuse('unreadable', `cannot be read: ${reason}`, 'check the file and its permissions');
  }
}

/** Writing into the folder could still replace the file; its mode asks not to. */
function isReadOnly(file: string): boolean {
  if ((statSync(file).mode & 0o222) === 0) return true;
  try {
    accessSync(file, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

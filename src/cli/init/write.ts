/** Writes the files of a new workspace: all or none, and never over an existing file. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { draftFile } from '../../run/write-file.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import type { InitFile } from './files.ts';

export interface PreparedFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly isNew: boolean;
}

/** Leaves out files that need no change. Throws a DiagnosticError if one is in the way. */
export function prepareFiles(cwd: string, files: readonly InitFile[]): readonly PreparedFile[] {
  const prepared = files.map(({ name, text, isAdded = false }) => {
    const target = path.resolve(cwd, name);
    const before = existsSync(target) ? readFileSync(target, 'utf8') : undefined;
    const wanted = isAdded && before !== undefined ? withLines(before, text) : text;
    return { name, path: target, before, text: wanted, isAdded };
  });
  const taken = prepared.filter(
    ({ before, text, isAdded }) => !isAdded && before !== undefined && before !== text,
  );
  if (taken.length > 0) {
    const names = taken.map(({ name }) => name).join(', ');
    throw userError(
      'init-exists',
      `${names} ${taken.length === 1 ? 'exists' : 'exist'} already`,
      'move what is there away, or pass another --dir; nothing was written',
    );
  }
  return prepared
    .filter(({ before, text }) => before !== text)
    .map(({ name, path: target, text, before }) => ({
      name,
      path: target,
      text,
      isNew: before === undefined,
    }));
}

/** Throws a DiagnosticError if a file cannot be written; no new file is left behind then. */
export function writePrepared(files: readonly PreparedFile[]): void {
  const made: string[] = [];
  // Change existing files last, when nothing else can fail.
  const ordered = [...files].sort((left, right) => Number(right.isNew) - Number(left.isNew));
  for (const file of ordered) {
    try {
      mkdirSync(path.dirname(file.path), { recursive: true });
      const draft = draftFile(file.path, file.text);
      try {
        draft.commit();
      } finally {
        draft.discard();
      }
      if (file.isNew) made.push(file.path);
    } catch (error) {
      for (const one of made) rmSync(one, { force: true });
      throw userError('write', `cannot write ${file.name}: ${reasonOf(error)}`, 'nothing was written');
    }
  }
}

function withLines(text: string, lines: string): string {
  const known = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.split('\n').filter((line) => line !== '' && !known.has(line));
  if (missing.length === 0) return text;
  return `${text === '' || text.endsWith('\n') ? text : `${text}\n`}${missing.join('\n')}\n`;
}

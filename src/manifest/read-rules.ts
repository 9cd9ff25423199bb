/** Reads `octavo.rules.yaml` from a work tree or a commit. */
import path from 'node:path';
import type { PlanRule } from '../kinds/rules/rules.ts';
import { type Diagnostic, DiagnosticError } from '../util/diagnostic.ts';
import { disk, type ManifestFiles } from './files/disk.ts';
import { misnamedFile } from './files/find.ts';
import { rulesFile } from './files/paths.ts';
import { readUtf8 } from './files/read-text.ts';

/** The rules file of one place; `text` is undefined if the file does not exist. */
export interface RulesText {
  readonly text: string | undefined;
  readonly rules: readonly PlanRule[];
  readonly diagnostics: readonly Diagnostic[];
  readonly name: string;
  /** Example: ` at 4f1c2aa`. Empty for the work tree. */
  readonly at: string;
}

/** Reports any unreadable file as an error, so that broken rules do not look like absent ones. */
export async function readRules(
  files: ManifestFiles,
  file: string,
  cwd: string,
  at = '',
): Promise<RulesText> {
  const name = path.relative(cwd, file) || file;
  const wrong = (message: string, suggestion: string): RulesText => {
    const diagnostics = [{ severity: 'error' as const, code: 'rules' as const, message, suggestion }];
    return { text: '', rules: [], diagnostics, name, at };
  };
  const misnamed = await misnamedFile(files, file);
  if (misnamed !== undefined)
    return wrong(
      `${misnamed}${at} is not read: the file is called ${rulesFile}`,
      `rename it to ${rulesFile}`,
    );
  const type = (await files.isLink?.(file)) === true ? 'symbolic link' : await files.type(file);
  if (type === 'missing') return { text: undefined, rules: [], diagnostics: [], name, at };
  if (type !== 'file')
    return wrong(`${name}${at} is not a regular file but a ${type}`, 'write the rules into the file itself');
  const text = await readUtf8(file, name, files);
  if (typeof text !== 'string') return wrong(text.message, text.suggestion);
  const { parseRules } = await import('./parse-rules.ts');
  return { text, ...(await parseRules(name, text)), name, at };
}

/** Reads the rules of the work tree, without git: in the nearest folder with a repository, or in the given one. */
export async function ownRules(cwd: string): Promise<RulesText> {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const isRoot = (await disk.type(path.join(folder, '.git'))) !== 'missing';
    if (isRoot || path.dirname(folder) === folder)
      return readRules(disk, path.join(isRoot ? folder : cwd, rulesFile), cwd);
  }
}

export function invalidRules({ diagnostics, name, text = '' }: RulesText): DiagnosticError {
  return new DiagnosticError(diagnostics, new Map([[name, text]]));
}

/**
 * A manifest on one side that is other text on the other one: git filters (base64, encryption, other letters), truncated files. Its
 * objects would look deleted, or as if the base had never declared them.
 */
import type { Workspace } from '../../manifest/load-workspace.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { startOf } from '../../yaml/problems.ts';

/** @throws DiagnosticError. `where`: for example `the base main`. */
export function refuseOtherText(own: Workspace, base: Workspace, where: string): void {
  const problems = [
    ...otherIn(own, base).map((file) =>
      problem(
        file,
        `${file} is a manifest in ${where}, and other text here: its objects would look deleted`,
        'restore the file; or delete it, if its objects are to be deleted',
      ),
    ),
    ...otherIn(base, own)
      .filter((file) => isUnlike(base.sources.get(file) ?? '', own.sources.get(file) ?? ''))
      .map((file) =>
        problem(
          file,
          `${file} is other text in ${where} and cannot be compared: does a git filter or an encoding change it?`,
          'keep the manifest in git as it is; if the file was something else before, give the manifest another name',
        ),
      ),
  ];
  if (problems.length > 0) throw new DiagnosticError(problems, own.sources);
}

function otherIn({ otherFiles = new Set() }: Workspace, { files, otherFiles: others }: Workspace) {
  return files.filter((file) => otherFiles.has(file) && others?.has(file) !== true);
}

/** A manifest that only lacked its mark has keys of it already; a file without content declares nothing. */
function isUnlike(was: string, is: string): boolean {
  const keys = new Set(topKeys(is));
  return was.replace(/^\s*(#.*)?$/gm, '') !== '' && !topKeys(was).some((key) => keys.has(key));
}

function topKeys(text: string): readonly string[] {
  return [...text.matchAll(/^["']?([\w$-]+)["']?\s*:/gm)].map(([, key = '']) => key);
}

function problem(file: string, message: string, suggestion: string): Diagnostic {
  return { severity: 'error', code: 'base', message, at: startOf(file), suggestion };
}

/**
 * A manifest on one side that is other text on the other one: git filters (base64, encryption, other letters), truncated files. Its
 * objects would look deleted, or as if the base had never declared them.
 */
import type { Workspace } from '../../manifest/load-workspace.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { startOf } from '../../yaml/problems.ts';

/** @throws DiagnosticError. `where`: for example `the base main`. */
export function refuseOtherText(own: Workspace, base: Workspace, where: string): void {
  const lost = otherIn(own, base).map((file) => ({
    file,
    message: `${file} is a manifest in ${where}, and other text here: its objects would look deleted`,
    suggestion: 'restore the file; or delete it, if its objects are to be deleted',
  }));
  const strange = otherIn(base, own)
    .filter((file) => isUnlike(base.sources.get(file) ?? '', own.sources.get(file) ?? ''))
    .map((file) => ({
      file,
      message: `${file} is other text in ${where} and cannot be compared: does a git filter or an encoding change it?`,
      suggestion: 'keep it in git as it is; if it was no manifest before, give the manifest another name',
    }));
  const problems = [...lost, ...strange].map(
    ({ file, ...rest }) => ({ severity: 'error', code: 'base', at: startOf(file), ...rest }) as const,
  );
  if (problems.length > 0) throw new DiagnosticError(problems, own.sources);
}

function otherIn({ otherFiles = new Set() }: Workspace, { files, otherFiles: others }: Workspace) {
  return files.filter((file) => otherFiles.has(file) && others?.has(file) !== true);
}

/** A manifest that only lacked its mark has keys of it already; a file without content declares nothing. */
function isUnlike(was: string, is: string): boolean {
  const keysOf = (text: string) => [...text.matchAll(/^["']?([\w$-]+)["']?\s*:/gm)].map(([, key]) => key);
  const keys = new Set(keysOf(is));
  return /^\s*[^\s#]/m.test(was) && !keysOf(was).some((key) => keys.has(key));
}

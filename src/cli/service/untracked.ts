import path from 'node:path';
import { onGitError, type Repository } from '../../manifest/files/repository.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';

const folders = { ci: ['octavo-ci'], journal: [] };

/** A checkout may not bring results or journals. @throws DiagnosticError if git tracks one. */
export async function requireUntracked(
  { cwd, world }: Pick<Invocation, 'cwd' | 'world'>,
  code: keyof typeof folders,
): Promise<void> {
  const found = world
    .openRepository(cwd)
    .then((repository) => repository && trackedIn(repository, cwd, folders[code]));
  const tracked = await found.catch(onGitError(() => undefined));
  if (tracked === undefined) return;
  const help = `remove it from the repository: git rm -r --cached ${path.dirname(tracked)}`;
  throw userError(code, `git tracks ${tracked}, which Octavo writes`, help);
}

async function trackedIn(
  repository: Repository,
  cwd: string,
  folders: readonly string[],
): Promise<string | undefined> {
  const own = folders.map((folder) => path.relative(repository.root, path.resolve(cwd, folder)));
  const [tracked] = await repository.tracked(own, ['.octavo']);
  return tracked && path.relative(cwd, path.join(repository.root, tracked.file));
}

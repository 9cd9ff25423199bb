import path from 'node:path';
import { onGitError } from '../../manifest/files/repository.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';

const folders = { ci: ['octavo-ci'], journal: [] };

/** A checkout may not bring results or journals. @throws DiagnosticError if git tracks one. */
export async function requireUntracked(
  { cwd, world }: Pick<Invocation, 'cwd' | 'world'>,
  code: keyof typeof folders,
): Promise<void> {
  const found = world.openRepository(cwd).then(async (repository) => {
    if (repository === undefined) return undefined;
    const own = folders[code].map((folder) => path.relative(repository.root, path.resolve(cwd, folder)));
    const [one] = await repository.tracked(own, ['.octavo']);
    return one && path.relative(cwd, path.join(repository.root, one.file));
  });
  const tracked = await found.catch(onGitError(() => undefined));
  if (tracked === undefined) return;
  const help = `remove it from the repository: git rm -r --cached ${path.dirname(tracked)}`;
  throw userError(code, `git tracks ${tracked}, which Octavo writes`, help);
}

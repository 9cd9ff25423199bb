import path from 'node:path';
import { Git, onGitError } from '../../manifest/files/git.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';

const folders = { ci: ['octavo-ci'], journal: [] };

/** A checkout may not bring results or journals. @throws DiagnosticError if git tracks one. */
export async function requireUntracked(
  { cwd, env }: Pick<Invocation, 'cwd' | 'env'>,
  code: keyof typeof folders,
): Promise<void> {
  const paths = [...folders[code], ':(top,glob)**/.octavo/**'];
  const git = new Git(env);
  const found = git.repositoryOf(cwd).then((one) => one && git.lines(cwd, ['ls-files', '--', ...paths]));
  const [tracked] = (await found.catch(onGitError(() => undefined))) ?? [];
  if (tracked === undefined) return;
  const help = `remove it from the repository: git rm -r --cached ${path.dirname(tracked)}`;
  throw userError(code, `git tracks ${tracked}, which Octavo writes`, help);
}

/** What a merge of two commits gives, without a work tree. */

import { GitError } from '../../manifest/git.ts';
import { type GitFiles, gitFiles } from '../../manifest/git-files.ts';
import { userError } from '../../util/user-error.ts';
import type { BaseAndHead } from './ahead.ts';
import type { Repository } from './repository.ts';

/** The files of the merge. Throws a DiagnosticError that names the files where the two conflict. */
export async function mergedFiles(repository: Repository, commits: BaseAndHead): Promise<GitFiles> {
  const { git, root } = repository;
  const { name, base, head } = commits;
  const command = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', head, base];
  const { exitCode, stdout, problem } = await git.attempt(root, command);
  const [tree = '', ...conflicts] = String(stdout)
    .split('\0')
    .filter((part) => part !== '');
  if (exitCode === 0) return gitFiles(git, root, tree);
  if (exitCode !== 1 || conflicts.length === 0) {
    const old = /usage|unknown option/i.test(problem) ? 'git 2.38 or later is needed' : problem;
    throw new GitError(`cannot merge HEAD and ${name}: ${old}`);
  }
  throw userError(
    'merge-conflict',
    `HEAD and ${name} conflict in ${[...new Set(conflicts)].join(', ')}`,
    `merge ${name}, resolve the conflict, and plan again`,
  );
}

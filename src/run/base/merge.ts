/** What a merge of two commits gives, without a work tree. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GitError, type Repository } from '../../manifest/git.ts';
import { type GitFiles, gitFiles } from '../../manifest/git-files.ts';
import { userError } from '../../util/user-error.ts';
import type { BaseAndHead } from './ahead.ts';

/** The files of the merge. Throws a DiagnosticError that names the files where the two conflict. */
export async function mergedFiles(
  repository: Repository,
  commits: BaseAndHead,
  paths: readonly string[],
): Promise<GitFiles> {
  const { git, root } = repository;
  const { name, base, head } = commits;
  const command = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', head, base];
  // Attributes of the checkout would choose merge drivers, which are programs: the merge sees no work tree and no index.
  const empty = await mkdtemp(path.join(tmpdir(), 'octavo-merge-'));
  const [folder = ''] = await git.lines(root, ['rev-parse', '--absolute-git-dir']);
  const nothing = { GIT_DIR: folder, GIT_WORK_TREE: empty, GIT_INDEX_FILE: path.join(empty, 'index') };
  const { exitCode, stdout, problem } = await git
    .attempt(empty, command, nothing)
    .finally(() => rm(empty, { recursive: true }));
  const [tree = '', ...conflicts] = String(stdout)
    .split('\0')
    .filter((part) => part !== '');
  if (exitCode === 0) return gitFiles(repository, { treeish: tree, paths });
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

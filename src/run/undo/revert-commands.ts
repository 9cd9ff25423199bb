/** Git commands that take the commits of a run back, newest first, as a person can paste them. */
import { Git, GitError } from '../../manifest/files/git.ts';
import type { JournaledRun } from '../journal/read-journal.ts';
import type { Env } from '../workspace.ts';

const mostCommands = 5;

/**
 * The commits from the base of the run to the one that it applied. A merge is reverted to its first parent. Undefined if git does not
 * have them, or if they are too many to list.
 */
export async function revertCommands(
  { header: { commit, base } }: JournaledRun,
  { cwd, env }: { readonly cwd: string; readonly env: Env },
): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  const git = new Git(env);
  const range = base === undefined || base === commit ? ['-1', commit] : [commit, `^${base}`];
  try {
    const lines = await git.lines(cwd, ['rev-list', '--first-parent', '--parents', ...range]);
    if (lines.length === 0 || lines.length > mostCommands) return undefined;
    return lines
      .map((line) => {
        const [oid = '', ...parents] = line.split(' ');
        return `git revert --no-edit ${parents.length > 1 ? '-m 1 ' : ''}${oid}`;
      })
      .join(' && ');
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/**
 * A base that is ahead of the manifests: it has commits that they lack. A plan against it would make an old branch undo later
 * changes by others.
 *
 *   main     A ── B ── C   adds team "writers", and was applied
 *   branch   A ── D        does not have it: against main, the plan would delete the team
 */

import { type GitFiles, gitFiles } from '../../manifest/files/git-files.ts';
import { type CommitRange, GitError, onGitError, type Repository } from '../../manifest/files/repository.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import type { DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';

export interface BaseAndHead {
  readonly name: string;
  readonly base: string;
  readonly head: string;
}

export interface Ahead {
  readonly count: number;
  readonly touching: readonly string[];
  readonly mergeBase?: string;
}

/** Maximum of commits listed by name; the rest are counted. */
const listed = 5;

export async function aheadOf(
  repository: Repository,
  { name, base, head }: BaseAndHead,
  touching: NonNullable<CommitRange['touching']>,
): Promise<Ahead | undefined> {
  const mergeBase = base === head ? base : await repository.mergeBase([base, head]);
  if (mergeBase === base) return undefined;
  const range = { of: base, not: head };
  const [all, touched] = await Promise.all([
    repository.commits(range),
    repository.commits({ ...range, touching }),
  ]);
  if (mergeBase === undefined && (await repository.isShallow())) {
    throw userError(
      'base',
      `cannot tell whether HEAD contains ${name}: this is a shallow clone`,
      'fetch the history first: git fetch --unshallow (in GitHub Actions, fetch-depth: 0)',
    );
  }
  const named = touched.map(({ short, subject }) => `${short} ${subject}`);
  return { count: all.length, touching: named, ...defined({ mergeBase }) };
}

export function baseAhead(name: string, { count, touching }: Ahead): DiagnosticError {
  const rest = touching.length - listed;
  const commits = [...touching.slice(0, listed), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
  const which =
    touching.length === 0
      ? 'none of them touches the manifests'
      : `${touching.length} ${touching.length === 1 ? 'touches' : 'touch'} the manifests: ${commits}`;
  return userError(
    'base-ahead',
    `${name} has ${countOf(count, 'commit')} that HEAD lacks; ${which}`,
    [
      'merge or rebase first; or pass one of',
      '  --ahead merge   with plan: plan the merge of both',
      "  --ahead own     with plan: plan this branch's own change, against the common ancestor",
      '  --ahead back    go back to HEAD, on purpose',
    ].join('\n'),
  );
}

export async function mergedFiles(
  repository: Repository,
  commits: BaseAndHead,
  paths: readonly string[],
): Promise<GitFiles> {
  const { name, base, head } = commits;
  const merged = await repository.merge(head, base).catch(
    onGitError(({ message }) => {
      throw new GitError(`cannot merge HEAD and ${name}: ${message}`);
    }),
  );
  if ('tree' in merged) return gitFiles(repository, { treeish: merged.tree, paths });
  throw userError(
    'merge-conflict',
    `HEAD and ${name} conflict in ${merged.conflicts.join(', ')}`,
    `merge ${name}, resolve the conflict, and plan again`,
  );
}

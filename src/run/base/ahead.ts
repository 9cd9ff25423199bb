/**
 * A base that is ahead of the manifests: it has commits that they lack. A plan against it would make an old branch undo later
 * changes by others.
 *
 *   main     A ── B ── C   adds team "writers", and was applied
 *   branch   A ── D        does not have it: against main, the plan would delete the team
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GitError, type Repository } from '../../manifest/files/git.ts';
import { type GitFiles, gitFiles } from '../../manifest/files/git-files.ts';
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
  { git, root }: Repository,
  { name, base, head }: BaseAndHead,
  paths: readonly string[],
): Promise<Ahead | undefined> {
  if (base === head || (await git.isAncestor(root, base, head))) return undefined;
  const range = `${head}..${base}`;
  const [count = '0'] = await git.lines(root, ['rev-list', '--count', range]);
  const touching = await git.lines(root, ['log', '--format=%h %s', range, '--', ...paths]);
  const found = await git.attempt(root, ['merge-base', head, base]);
  const mergeBase = String(found.stdout).trim() || undefined;
  const [isShallow] = await git.lines(root, ['rev-parse', '--is-shallow-repository']);
  if (mergeBase === undefined && isShallow === 'true') {
    throw userError(
      'base',
      `cannot tell whether HEAD contains ${name}: this is a shallow clone`,
      'fetch the history first: git fetch --unshallow (in GitHub Actions, fetch-depth: 0)',
    );
  }
  return { count: Number(count), touching, ...defined({ mergeBase }) };
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
  const { git, root } = repository;
  const { name, base, head } = commits;
  const command = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', head, base];
  // Attributes in the checkout could select merge drivers, which are programs, so the merge runs without a work tree and index.
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

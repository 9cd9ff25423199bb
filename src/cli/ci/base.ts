/** The base for the plan of a request: the last record, or else the branch that the request targets. */
import { GitError, type Repository } from '../../manifest/files/git.ts';
import { findRepository } from '../../run/base/repository.ts';
import { RefStore } from '../../run/git/ref-store.ts';
import { remoteOf as remoteIn } from '../../run/record/find-record.ts';
import type { DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import type { Pipeline } from './pipeline.ts';

export interface RequestBase {
  /** The argument of `--base`; undefined if the configuration names the base. A base that a flag names also decides about rules. */
  readonly base: string | undefined;
  readonly text: string;
}

/**
 * If the checkout contains the branch, the base is the record, if there is one, because the checkout also has merged changes that are
 * not applied yet. Otherwise, the base is the branch, and the plan is for the merge of both.
 * @throws DiagnosticError if the branch is neither here nor in the remote.
 */
export async function baseOf(pipeline: Pipeline, target: string): Promise<RequestBase> {
  const { invocation, settings } = pipeline;
  const { flags } = invocation;
  if (flags.base !== undefined) return { base: flags.base, text: flags.base };
  if (settings.base !== undefined) return { base: undefined, text: settings.base };
  const failure = (why: string) =>
    userError(
      'base',
      `cannot find the branch ${target}: ${why}`,
      'check out the whole history (fetch-depth: 0, or GIT_DEPTH: 0), with a remote that can be read',
    );
  return withRemote(pipeline, failure, async (repository, remote) => {
    const commit = await branchCommit(repository, remote, target);
    const { git, root } = repository;
    const text = `${target}@${commit.slice(0, 7)}`;
    const isWhole = await git.isAncestor(root, commit, 'HEAD');
    return isWhole
      ? { base: `applied,${commit}`, text: `what was applied, or ${text}` }
      : { base: commit, text };
  });
}

/** `failure` explains the consequence of a git error. */
export async function withRemote<T>(
  pipeline: Pipeline,
  failure: (why: string) => DiagnosticError,
  work: (repository: Repository, remote: string) => Promise<T>,
): Promise<T> {
  try {
    const repository = await repositoryOf(pipeline);
    if (repository === undefined) throw new GitError('this folder is in no git repository');
    const remote = await remoteIn(repository);
    if (remote === undefined) throw new GitError('the repository has no remote');
    return await work(repository, remote);
  } catch (error) {
    throw error instanceof GitError ? failure(error.message) : error;
  }
}

/** The remote that holds records and locks; undefined without a repository or a remote. */
export async function remoteOf(pipeline: Pipeline): Promise<string | undefined> {
  const repository = await repositoryOf(pipeline);
  return repository && (await remoteIn(repository));
}

function repositoryOf({ invocation: { cwd, env }, settings }: Pipeline): Promise<Repository | undefined> {
  return findRepository({ cwd, env, files: settings.files });
}

/** Commit of the branch in the remote, fetched if it is not here. */
async function branchCommit(repository: Repository, remote: string, branch: string): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const store = new RefStore(repository);
  const found = await store.there(remote, [ref]);
  const commit = found.get(ref);
  if (commit === undefined) throw new GitError(`${remote} has no such branch`);
  await store.fetchMissing(remote, found);
  return commit;
}

/** The base for the plan of a request: the last record, or else the branch that the request targets. */
import { realpathSync } from 'node:fs';
import { gitFiles } from '../../manifest/files/git-files.ts';
import { GitError, onGitError, type Repository } from '../../manifest/files/repository.ts';
import { findRepository } from '../../past/base/repository.ts';
import { RefStore } from '../../past/git/ref-store.ts';
import { allRecords, remoteOf as remoteIn } from '../../past/record/find-record.ts';
import { bindingChanges, bindingKeys, configFiles, configIn } from '../../run/rules/binding.ts';
import { latestOf } from '../../run/rules/load-rules.ts';
import { defined } from '../../util/defined.ts';
import type { DiagnosticError } from '../../util/diagnostic.ts';
import { sameJson } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import { type PipelineRun, pipelineRun } from '../forge/place.ts';
import type { Invocation } from '../line/command.ts';
import type { RunSettings } from '../service/settings.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * The base is the record, or else the branch; the plan is for the merge with the branch, which may have changes that are not applied
 * yet.
 * @throws DiagnosticError if the branch is neither here nor in the remote.
 */
export async function baseOf(pipeline: Pipeline, target: string) {
  const { invocation, settings, run } = pipeline;
  const { flags } = invocation;
  if (flags.base !== undefined) return { base: flags.base, text: flags.base };
  if (settings.base !== undefined)
    return { base: pipeline.own === settings.base ? undefined : settings.base, text: settings.base };
  const failure = (why: string) =>
    userError(
      'base',
      `cannot find the branch ${target}: ${why}`,
      'check out the whole history (fetch-depth: 0, or GIT_DEPTH: 0), with a remote that can be read',
    );
  return withRemote(pipeline, failure, async (repository, remote) => {
    const commit = run?.queue?.base ?? (await branchCommit(repository, remote, target));
    return {
      base: `applied,${commit}`,
      text: `what was applied, or ${target}@${commit.slice(0, 7)}`,
    };
  });
}

/** More commits than these are not looked up in the forge. */
const mostUnapplied = 50;

/**
 * Replaces the settings that bind an apply with those of the last record, else of the target branch, so that a request cannot lift
 * its own approval. Without either, the defaults apply. `unapplied`: the pushed commit and those of its branch before it that are not
 * recorded, newest first; empty if a later commit is recorded, because jobs may run in any order.
 */
export async function boundSettings(
  { cwd, env, flags, world }: Pick<Invocation, 'cwd' | 'env' | 'flags' | 'world'>,
  settings: RunSettings,
) {
  const run = pipelineRun(env);
  const { commit = '', before = commit } = run?.push ?? {};
  const repository = await world.openRepository(cwd);
  if (repository === undefined)
    return { settings, changed: [], unapplied: () => Promise.resolve<readonly string[]>([commit]) };
  const files = configFiles(realpathSync(cwd), repository.root);
  const records = allRecords(repository, { offline: false });
  const configs = await records
    .then(async (found) => {
      const commits = await bindingCommits(repository, run, await latestOf(repository, found));
      return Promise.all(
        commits.map(async (treeish) =>
          configIn(await gitFiles(repository, { treeish, paths: files }), files),
        ),
      );
    })
    .catch(onGitError(() => []));
  const [first] = configs;
  const { ci: base = {}, base: ref } = configs.every((one) => sameJson(one?.ci, first?.ci))
    ? (first ?? {})
    : {};
  const bound = Object.fromEntries(bindingKeys.map((key) => [key, base[key]]));
  const former = flags.base === undefined ? ref : settings.base;
  const changed = bindingChanges({ ci: base, base: former }, settings);
  return {
    settings: { ...settings, ci: defined({ ...settings.ci, ...bound }), base: former },
    changed,
    unapplied: () =>
      records
        .then(async (found) => {
          // Each shard of a fleet has a record of its own, so the oldest one counts.
          const base = await repository.mergeBase(
            found.length > 0 ? found.map((one) => one.commit) : [before],
          );
          if (base === commit) return [commit];
          const range = { of: commit, not: base, isFirstParent: true, most: mostUnapplied };
          return (await repository.commits(range)).map(({ oid }) => oid);
        })
        .catch(onGitError(() => [commit])),
  };
}

async function bindingCommits(
  repository: Repository,
  run: PipelineRun | undefined,
  records: readonly string[],
): Promise<readonly string[]> {
  if (records.length > 0) return records;
  if (run?.queue !== undefined) return [run.queue.base];
  if (run?.request === undefined) return run?.push?.before === undefined ? [] : [run.push.before];
  const remote = await remoteIn(repository);
  return remote === undefined ? [] : [await branchCommit(repository, remote, run.request.target)];
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

function repositoryOf({ invocation, settings }: Pipeline): Promise<Repository | undefined> {
  const { cwd, env, world } = invocation;
  return findRepository({ cwd, env, openRepository: world.openRepository, files: settings.files });
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

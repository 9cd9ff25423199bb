/** The base for the plan of a request: the last record, or else the branch that the request targets. */
import { realpathSync } from 'node:fs';
import { Git, GitError, onGitError, type Repository } from '../../manifest/files/git.ts';
import { gitFiles } from '../../manifest/files/git-files.ts';
import { bindingChanges, bindingKeys, configFiles, configIn } from '../../run/base/binding.ts';
import { latestOf } from '../../run/base/load-rules.ts';
import { findRepository } from '../../run/base/repository.ts';
import { RefStore } from '../../run/git/ref-store.ts';
import { allRecords, remoteOf as remoteIn } from '../../run/record/find-record.ts';
import { defined } from '../../util/defined.ts';
import type { DiagnosticError } from '../../util/diagnostic.ts';
import { sameJson } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import { type PipelineRun, pipelineRun } from '../forge/place.ts';
import type { Invocation } from '../line/command.ts';
import type { RunSettings } from '../service/settings.ts';
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
  if (settings.base !== undefined)
    return { base: pipeline.own === settings.base ? undefined : settings.base, text: settings.base };
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

/**
 * Replaces the settings that bind an apply with those of the last record, else of the target branch, so that a request cannot lift
 * its own approval. Without either, the defaults apply.
 */
export async function boundSettings(
  { cwd, env, flags }: Pick<Invocation, 'cwd' | 'env' | 'flags'>,
  settings: RunSettings,
): Promise<{ readonly settings: RunSettings; readonly changed: readonly string[] }> {
  const repository = await new Git(env).repositoryOf(cwd);
  if (repository === undefined) return { settings, changed: [] };
  const files = configFiles(realpathSync(cwd), repository.root);
  const configs = await Promise.all(
    (await bindingCommits(repository, pipelineRun(env))).map(async (treeish) =>
      configIn(await gitFiles(repository, { treeish, paths: files }), files),
    ),
  ).catch(onGitError(() => []));
  const [first] = configs;
  const { ci: base = {}, base: ref } = configs.every((one) => sameJson(one?.ci, first?.ci))
    ? (first ?? {})
    : {};
  const bound = Object.fromEntries(bindingKeys.map((key) => [key, base[key]]));
  const former = flags.base === undefined ? ref : settings.base;
  const changed = bindingChanges({ ci: base, base: former }, settings);
  return { settings: { ...settings, ci: defined({ ...settings.ci, ...bound }), base: former }, changed };
}

async function bindingCommits(
  repository: Repository,
  run: PipelineRun | undefined,
): Promise<readonly string[]> {
  const records = await latestOf(repository, await allRecords(repository, { offline: false }));
  if (records.length > 0) return records;
  if (run?.request === undefined) return run?.push?.before === undefined ? [] : [run.push.before];
  const remote = await remoteIn(repository);
  return remote === undefined ? [] : [await branchCommit(repository, remote, run.request.target)];
}

/** More commits than these are not looked up in the forge. */
const mostUnapplied = 50;

/**
 * The pushed commit and those of its branch before it that are not recorded as applied, newest first. Empty if a later commit is
 * recorded, because jobs may run in any order.
 */
export async function unappliedCommits({
  cwd,
  env,
}: Pick<Invocation, 'cwd' | 'env'>): Promise<readonly string[]> {
  const { commit = '', before = commit } = pipelineRun(env)?.push ?? {};
  const repository = await new Git(env).repositoryOf(cwd);
  if (repository === undefined) return [commit];
  const { git, root } = repository;
  const records = (await allRecords(repository, { offline: false })).map((record) => record.commit);
  const log = async () => {
    // Each shard of a fleet has a record of its own, so the oldest one counts.
    const [base] = await git.lines(root, [
      'merge-base',
      '--octopus',
      ...(records.length > 0 ? records : [before]),
    ]);
    if (base === commit) return [commit];
    return git.lines(root, [
      'rev-list',
      '--first-parent',
      `--max-count=${mostUnapplied}`,
      commit,
      `^${base}`,
    ]);
  };
  return log().catch(onGitError(() => [commit]));
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

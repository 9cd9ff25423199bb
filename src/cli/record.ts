/** Records what was applied: a git ref per organization that names the commit whose manifests are live now. */
import path from 'node:path';
import { Git, GitError } from '../manifest/git-files.ts';
import type { Plan } from '../plan/plan.ts';
import type { DesiredTree } from '../tree/desired.ts';
import { appliedRef, repositoryFor } from './base.ts';
import type { Invocation } from './invocation.ts';
import type { PlanInputs } from './plan-file/write-plan.ts';
import type { RunSettings } from './settings.ts';
import { userError } from './user-error.ts';

/** A commit that can be recorded once everything was applied. */
export interface Recording {
  /** Moves the refs, and pushes them where that was asked for. A plan of which something was left out is not recorded. */
  record(applied: Plan): Promise<void>;
}

/**
 * Prepares the recording before anything is applied, so that what cannot be recorded is refused in time. Undefined where
 * it was not asked for.
 */
export async function prepareRecording(
  invocation: Invocation,
  settings: RunSettings,
  trees: readonly DesiredTree[],
  saved?: Pick<PlanInputs, 'commit' | 'flags'>,
): Promise<Recording | undefined> {
  const { record, pushRecord } = invocation.flags;
  if (record !== true && pushRecord === undefined) return undefined;
  const { target, exclude } = saved?.flags ?? invocation.flags;
  if (target !== undefined || exclude !== undefined) {
    throw userError(
      'record',
      'a part of the manifests cannot be recorded as applied',
      'leave out --target and --exclude, or apply without recording',
    );
  }
  const git = new Git(invocation.env);
  const repository = await repositoryFor(invocation, settings);
  const commit = saved === undefined ? await git.commitOf(repository, 'HEAD') : saved.commit;
  if (commit === undefined) {
    throw saved === undefined
      ? userError('record', 'there is no commit to record', 'commit the manifests first')
      : userError(
          'record',
          'the plan names no commit to record: its manifests were not all committed',
          'commit them and plan again, or apply without recording',
        );
  }
  if (saved === undefined) await refuseUncommitted(invocation, settings, git);
  else if ((await git.commitOf(repository, commit)) === undefined) {
    throw userError(
      'record',
      `the commit of the plan is not in this repository: ${commit}`,
      'fetch it first',
    );
  }
  return {
    record: async (applied) => {
      if (applied.organizations.some(({ refusals }) => refusals.length > 0)) {
        invocation.output.note('Not recorded: refused changes were left out.');
        return;
      }
      const refs = trees.map(appliedRef);
      for (const ref of refs) await told(git.run(repository, ['update-ref', ref, commit]));
      if (pushRecord === undefined) return;
      const specs = refs.map((ref) => `+${ref}:${ref}`);
      await told(git.run(repository, ['push', '--quiet', '--', pushRecord, ...specs]));
    },
  };
}

/** The commit that holds the manifests as they are; undefined where there is none, or git cannot tell. */
export async function cleanCommit(
  invocation: Invocation,
  settings: RunSettings,
): Promise<string | undefined> {
  const git = new Git(invocation.env);
  try {
    if ((await firstUncommitted(invocation, settings, git)) !== undefined) return undefined;
    return await git.commitOf(invocation.cwd, 'HEAD');
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

async function firstUncommitted(
  { cwd, flags }: Invocation,
  settings: RunSettings,
  git: Git,
): Promise<string | undefined> {
  const given = [...settings.files, ...settings.overlays].map((file) => path.resolve(cwd, file));
  // A plan is no manifest, and may well be saved beside them.
  const plans = [flags.out, flags.approved].flatMap((file) =>
    file === undefined ? [] : [path.relative(cwd, path.resolve(cwd, file))],
  );
  const others = plans
    .filter((file) => file.split(path.sep)[0] !== '..' && !path.isAbsolute(file))
    .map((file) => `:(exclude,literal)${file}`);
  const status = await git.run(cwd, [
    'status',
    '--porcelain',
    '--untracked-files=all',
    '--',
    ...given,
    ...others,
  ]);
  const [first] = String(status).split('\n');
  return first === '' ? undefined : first;
}

/** What is applied must be what the commit holds. */
async function refuseUncommitted(invocation: Invocation, settings: RunSettings, git: Git): Promise<void> {
  const first = await firstUncommitted(invocation, settings, git);
  if (first === undefined) return;
  throw userError(
    'record',
    `the manifests differ from the commit that would be recorded: ${first.slice(3)}`,
    'commit them first, or apply without --record',
  );
}

async function told(done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw userError(
      'record',
      `everything was applied, and could not be recorded: ${error.message}`,
      'record it by hand: git update-ref refs/octavo/applied/<organization> HEAD',
    );
  }
}

/** Records what was applied: a git ref per organization that names the commit whose manifests are live now. */
import path from 'node:path';
import { Git, GitError } from '../manifest/git-files.ts';
import type { Plan } from '../plan/plan.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { userError } from '../util/user-error.ts';
import { appliedRef, repositoryFor } from './base.ts';
import type { PlanChoices } from './choices.ts';
import type { ManifestSource } from './workspace.ts';

/** What is to be recorded, and where. */
export interface RecordOptions {
  readonly trees: readonly DesiredTree[];
  readonly choices: PlanChoices;
  /** The git remote to push the record to. */
  readonly pushTo?: string | undefined;
  /** Files beside the manifests that need not be committed. */
  readonly otherFiles: readonly string[];
  /** The plan was saved: the commit that it names. Absent for manifests that are planned now. */
  readonly saved?: { readonly commit: string | undefined } | undefined;
}

/** A commit that can be recorded once everything was applied. */
export interface Recording {
  /** Moves the refs and pushes them where that was asked for. `partial`: not recorded, as changes were left out. */
  record(applied: Plan): Promise<'recorded' | 'partial'>;
}

/** Prepares the recording before anything is applied, so that what cannot be recorded is refused in time. */
export async function prepareRecording(source: ManifestSource, options: RecordOptions): Promise<Recording> {
  const { trees, choices, pushTo } = options;
  if (choices.target !== undefined || choices.exclude !== undefined) {
    throw userError(
      'record',
      'cannot record a part of the manifests as applied',
      'leave out --target and --exclude, or apply without recording',
    );
  }
  const git = new Git(source.env);
  const repository = await repositoryFor(source);
  const commit = await commitToRecord(source, git, { ...options, repository });
  return {
    record: async (applied) => {
      if (applied.organizations.some(({ refusals }) => refusals.length > 0)) return 'partial';
      const refs = trees.map(appliedRef);
      for (const ref of refs) await orRecordError(git.run(repository, ['update-ref', ref, commit]));
      if (pushTo === undefined) return 'recorded';
      const specs = refs.map((ref) => `+${ref}:${ref}`);
      await orRecordError(git.run(repository, ['push', '--quiet', '--', pushTo, ...specs]));
      return 'recorded';
    },
  };
}

async function commitToRecord(
  source: ManifestSource,
  git: Git,
  { saved, repository, otherFiles }: RecordOptions & { readonly repository: string },
): Promise<string> {
  if (saved === undefined) {
    const head = await git.commitOf(repository, 'HEAD');
    if (head === undefined)
      throw userError('record', 'there is no commit to record', 'commit the manifests first');
    const first = await firstUncommitted(source, git, otherFiles);
    if (first === undefined) return head;
    throw userError(
      'record',
      `the manifests differ from the commit that would be recorded: ${first.slice(3)}`,
      'commit them first, or apply without --record',
    );
  }
  const { commit } = saved;
  if (commit === undefined) {
    throw userError(
      'record',
      'the plan names no commit to record: its manifests were not all committed',
      'commit them and plan again, or apply without recording',
    );
  }
  if ((await git.commitOf(repository, commit)) !== undefined) return commit;
  throw userError('record', `the commit of the plan is not in this repository: ${commit}`, 'fetch it first');
}

/** The commit that holds the manifests as they are; undefined where there is none, or git cannot tell. */
export async function cleanCommit(
  source: ManifestSource,
  otherFiles: readonly string[],
): Promise<string | undefined> {
  const git = new Git(source.env);
  try {
    if ((await firstUncommitted(source, git, otherFiles)) !== undefined) return undefined;
    return await git.commitOf(source.cwd, 'HEAD');
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** A line of `git status` about the manifests; a saved plan is not a manifest, and may well be saved beside them. */
async function firstUncommitted(
  { cwd, files, overlays }: ManifestSource,
  git: Git,
  otherFiles: readonly string[],
): Promise<string | undefined> {
  const given = [...files, ...overlays].map((file) => path.resolve(cwd, file));
  const others = otherFiles
    .map((file) => path.relative(cwd, path.resolve(cwd, file)))
    .filter((file) => file.split(path.sep)[0] !== '..' && !path.isAbsolute(file))
    .map((file) => `:(exclude,literal)${file}`);
  const command = ['status', '--porcelain', '--untracked-files=all', '--', ...given, ...others];
  const [first] = String(await git.run(cwd, command)).split('\n');
  return first === '' ? undefined : first;
}

async function orRecordError(done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw userError(
      'record',
      `everything was applied, but could not be recorded: ${error.message}`,
      'record it by hand: git update-ref refs/octavo/applied/<organization> HEAD',
    );
  }
}

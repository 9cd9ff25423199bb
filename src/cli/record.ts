/** Records what was applied: a git ref per organization that names the commit whose manifests are live now. */
import path from 'node:path';
import type { WantTree } from '../graph/want.ts';
import { Git, GitError } from '../manifest/git-files.ts';
import { appliedRef, repositoryFor } from './base.ts';
import type { Invocation } from './invocation.ts';
import type { RunSettings } from './settings.ts';
import { userError } from './user-error.ts';

/** A commit that can be recorded once everything was applied. */
export interface Recording {
  /** Moves the refs, and pushes them where that was asked for. */
  record(): Promise<void>;
}

/**
 * Prepares the recording before anything is applied, so that what cannot be recorded is refused in time. Undefined where
 * it was not asked for.
 */
export async function prepareRecording(
  invocation: Invocation,
  settings: RunSettings,
  trees: readonly WantTree[],
): Promise<Recording | undefined> {
  const { record, pushRecord } = invocation.flags;
  if (record !== true && pushRecord === undefined) return undefined;
  const git = new Git(invocation.env);
  const repository = await repositoryFor(invocation, settings);
  const commit = await git.commitOf(repository, 'HEAD');
  if (commit === undefined)
    throw userError('record', 'there is no commit to record', 'commit the manifests first');
  await refuseUncommitted(invocation, settings, git);
  return {
    record: async () => {
      const refs = trees.map(appliedRef);
      for (const ref of refs) await told(git.run(repository, ['update-ref', ref, commit]));
      if (pushRecord === undefined) return;
      const specs = refs.map((ref) => `+${ref}:${ref}`);
      await told(git.run(repository, ['push', '--quiet', '--', pushRecord, ...specs]));
    },
  };
}

/** What is applied must be what the commit holds. */
async function refuseUncommitted({ cwd }: Invocation, settings: RunSettings, git: Git): Promise<void> {
  const given = [...settings.files, ...settings.overlays].map((file) => path.resolve(cwd, file));
  const status = await git.run(cwd, ['status', '--porcelain', '--untracked-files=all', '--', ...given]);
  const [first] = String(status).split('\n');
  if (first === undefined || first === '') return;
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

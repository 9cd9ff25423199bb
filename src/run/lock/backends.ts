import { statSync } from 'node:fs';
import path from 'node:path';
import { Git } from '../../manifest/files/git.ts';
import { userError } from '../../util/user-error.ts';
import { RefStore } from '../git/ref-store.ts';
import { fileLock } from './file-lock.ts';
import { gitLock } from './git-lock.ts';
import type { Lock } from './lock.ts';
import { type LockBackendName, lockNames, parseLockName } from './lock-name.ts';
import type { LockMachine } from './machine.ts';
import { lockFolder } from './state-folder.ts';

export interface LockPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The manifests, or a folder of them: git locks use their repository. */
  readonly manifests: string;
  readonly machine: LockMachine;
  readonly now: () => number;
  /** Unit: milliseconds. */
  readonly lease: number;
}

const backends: Readonly<
  Record<LockBackendName, (place: LockPlace, rest: string) => Promise<Lock | undefined>>
> = {
  file: async ({ env, machine, now }) => fileLock({ folder: lockFolder(env), machine, now }),
  git: gitLockAt,
  none: async () => undefined,
};

/**
 * Undefined if the name is `none`.
 *
 * @throws DiagnosticError if the lock cannot be used.
 */
export function openLock(name: string, place: LockPlace): Promise<Lock | undefined> {
  const parsed = parseLockName(name);
  if (parsed === undefined) {
    throw userError('lock', `there is no lock ${JSON.stringify(name)}`, `use ${lockNames}`);
  }
  return backends[parsed.backend](place, parsed.rest);
}

async function gitLockAt({ env, manifests, now, lease }: LockPlace, remote: string): Promise<Lock> {
  // A git command that hangs for longer would lose the lease.
  const git = new Git(env, Math.max(5000, lease / 2));
  const repository = await git.repositoryOf(folderOf(manifests));
  if (repository === undefined) {
    throw userError(
      'lock',
      `the lock is in the git remote ${remote}, but ${manifests} is not in a git repository`,
      'run in a clone of the manifests, or pass --lock file',
    );
  }
  const { root, settings } = repository;
  // The checkout could use a path or URL to choose the remote, and to run hooks that it contains.
  if (!settings.has(`remote.${remote}.url`)) {
    throw userError(
      'lock',
      `the lock is in the git remote ${JSON.stringify(remote)}, which ${root} does not have`,
      `name a remote that git remote lists; or add it: git remote add locks <url>, and lock: git:locks`,
    );
  }
  return gitLock({ store: new RefStore({ git, root }), remote, lease, now });
}

function folderOf(manifests: string): string {
  return statSync(manifests, { throwIfNoEntry: false })?.isDirectory() === true
    ? manifests
    : path.dirname(manifests);
}

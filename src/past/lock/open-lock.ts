import { statSync } from 'node:fs';
import path from 'node:path';
import { type OpenRepository, onGitError } from '../../manifest/files/repository.ts';
import { userError } from '../../util/user-error.ts';
import { RefStore } from '../git/ref-store.ts';
import type { JournalStore } from '../journal/journal-folder.ts';
import type { Lock } from './lock.ts';
import { lockRemote } from './lock-name.ts';
import { refLock } from './ref-lock.ts';
import type { RefLockOptions } from './ref-place.ts';

export interface LockOptions extends Pick<RefLockOptions, 'machine' | 'now' | 'lease'> {
  readonly openRepository: OpenRepository;
  readonly journals: () => Promise<JournalStore>;
  /** The manifests, or a folder of them: the lock is in their repository. */
  readonly manifests: string;
}

/**
 * Undefined if the name is `none`.
 *
 * @throws DiagnosticError if the lock cannot be used.
 */
export async function openLock(name: string, options: LockOptions): Promise<Lock | undefined> {
  if (name === 'none') return undefined;
  const { openRepository, journals, manifests, machine, now, lease } = options;
  const remote = lockRemote(name);
  const isFolder = statSync(manifests, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = isFolder ? manifests : path.dirname(manifests);
  // A git command that hangs for longer would lose the lease.
  const repository = await openRepository(folder, Math.max(5000, lease / 2)).catch(
    onGitError(({ message }) => {
      throw userError(
        'lock',
        `the lock is in git, which cannot be used: ${message}`,
        'fix that; --lock none works without a lock',
      );
    }),
  );
  // The checkout could use a path or URL to choose the remote, and to run hooks that it contains.
  if (remote !== undefined && repository?.settings.has(`remote.${remote}.url`) !== true) {
    const where =
      repository === undefined ? `${manifests}, which is not in a git repository,` : repository.root;
    throw userError(
      'lock',
      `the lock is in the git remote ${JSON.stringify(remote)}, and ${where} has no such remote`,
      `name one that git remote lists; or add it: git remote add locks <url>, and lock: git:locks`,
    );
  }
  if (repository === undefined) {
    const { journalLock } = await import('./journal-lock.ts');
    return journalLock({ store: await journals(), machine, now: () => new Date(now()) });
  }
  return refLock({ store: new RefStore(repository), remote, lease, machine, now });
}

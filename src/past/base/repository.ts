/** The git repository of the manifests, and their paths in it. */
import path from 'node:path';
import { disk } from '../../manifest/files/disk.ts';
import { openRepositoryWith } from '../../manifest/files/git-repository.ts';
import type { OpenRepository, Repository } from '../../manifest/files/repository.ts';
import { userError } from '../../util/user-error.ts';
import type { ManifestSource } from '../workspace.ts';

type RepositorySource = Pick<ManifestSource, 'cwd' | 'env' | 'files' | 'openRepository' | 'repository'>;

/** It may differ from the repository of the working folder. */
export async function findRepository(source: RepositorySource): Promise<Repository | undefined> {
  const { repository = {} } = source;
  repository.found ??= folderOf(source).then((folder) => openIn(source)(folder));
  return repository.found;
}

export function openIn({ env, openRepository }: RepositorySource): OpenRepository {
  return openRepository ?? openRepositoryWith(env);
}

export async function repositoryFor(source: ManifestSource): Promise<Repository> {
  const repository = await findRepository(source);
  if (repository !== undefined) return repository;
  throw userError(
    'base',
    `${await folderOf(source)} is not in a git repository, so no base can be read from it`,
    'name a folder that holds the manifests as they were: --base path/to/folder',
  );
}

export function manifestPaths({ cwd, files, overlays, overlayFiles }: ManifestSource): readonly string[] {
  const given = files.length === 0 ? ['.'] : files;
  // Overlay names are not paths; their files are under the other paths.
  const named = new Set(overlayFiles?.values());
  const paths = overlays.filter((one) => !named.has(one));
  return [...given, ...paths].map((file) => path.resolve(cwd, file));
}

async function folderOf({ cwd, files }: RepositorySource): Promise<string> {
  const [first = '.'] = files;
  const given = path.resolve(cwd, first);
  return (await disk.type(given)) === 'folder' ? given : path.dirname(given);
}

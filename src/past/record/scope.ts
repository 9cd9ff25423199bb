/** The manifests that an apply reads, as its record stores them, so that a base is exactly the applied manifests. */
import path from 'node:path';
import { disk } from '../../manifest/files/disk.ts';
import type { Repository } from '../../manifest/files/repository.ts';
import type { Workspace } from '../../manifest/load-workspace.ts';
import { append } from '../../util/lists.ts';
import type { ManifestSource } from '../workspace.ts';
import type { AppliedRecord } from './applied-record.ts';

type RecordedScope = NonNullable<AppliedRecord['scope']>;

export interface FormerScope {
  readonly source: Pick<ManifestSource, 'files' | 'overlays'>;
  /** Flags for manifests that were read for the record and still exist, but are not read now. */
  readonly missing: readonly string[];
}

export function scopeOf({ root }: Repository, source: ManifestSource, own: Workspace): RecordedScope {
  const files = source.files.length === 0 ? ['.'] : source.files;
  return {
    files: files.map(
      (file) => path.relative(root, path.resolve(source.cwd, file)).split(path.sep).join('/') || '.',
    ),
    overlays: own.overlays?.selected ?? [],
  };
}

/**
 * The manifests of a recorded commit that count as the base. Deleted files count, because a commit removed them;
 * files that exist and are not read this time do not, because their objects would look removed.
 */
export async function formerScope(
  repository: Repository,
  source: ManifestSource,
  { recorded, own }: { readonly recorded: RecordedScope | undefined; readonly own: Workspace },
): Promise<FormerScope | undefined> {
  if (recorded === undefined) return undefined;
  const { root } = repository;
  const now = scopeOf(repository, source, own);
  const files: string[] = [];
  const missing: string[] = [];
  for (const former of recorded.files) {
    const narrower = now.files.filter((file) => contains(former, file));
    const isThere = (await disk.type(path.join(root, former))) !== 'missing';
    if (now.files.some((file) => contains(file, former)) || !isThere) files.push(former);
    else {
      append(files, narrower);
      missing.push(`-f ${former}`);
    }
  }
  const others = own.overlays?.others ?? [];
  const forgotten = recorded.overlays.filter((name) => others.includes(name));
  return {
    source: {
      files: files.map((file) => path.join(root, file)),
      overlays: recorded.overlays.filter((name) => !forgotten.includes(name)),
    },
    missing: [...missing, ...forgotten.map((name) => `--overlay ${name}`)],
  };
}

function contains(folder: string, file: string): boolean {
  return folder === '.' || file === folder || file.startsWith(`${folder}/`);
}

/** Compares the manifests of a saved plan with the checked out ones when it is applied. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { among } from '../../manifest/build/outline.ts';
import { disk } from '../../manifest/files/disk.ts';
import { onGitError } from '../../manifest/files/repository.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import { findRepository } from '../../past/base/repository.ts';
import { differencesFrom } from '../../past/base/work-tree.ts';
import type { ManifestSource } from '../../past/workspace.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { picked } from '../../util/picked.ts';
import { userError } from '../../util/user-error.ts';

export interface ManifestsIdentity {
  readonly files: readonly string[];
  readonly overlays: readonly string[];
  readonly digest: string;
}

/** Texts of all manifests and included files, with normalized line endings. */
export function manifestsDigest({ sources }: Pick<Workspace, 'sources'>): string {
  const hash = createHash('sha256');
  for (const [name, text] of [...sources].sort(([left], [right]) => (left < right ? -1 : 1)))
    hash.update(`${name}\0${text.replaceAll('\r\n', '\n')}\0`);
  return hash.digest('hex');
}

/**
 * The checked out files, if they are the plan's; undefined if the plan is applied without a checkout. `trees`: those of the plan.
 * @throws DiagnosticError (`plan-stale`) if other manifests are checked out than the plan was made from.
 */
export async function requireSameManifests(
  saved: ManifestsIdentity,
  given: Pick<ManifestSource, 'cwd' | 'env' | 'registry'> & { readonly commit?: string | undefined },
  trees: readonly DesiredTree[],
): Promise<Workspace['read']> {
  const { files, overlays, digest } = saved;
  const source = picked(given, 'cwd', 'env', 'registry');
  const types = await Promise.all(files.map((file) => disk.type(path.resolve(given.cwd, file))));
  const paths = files.filter((_file, index) => types[index] !== 'missing');
  if (paths.length === 0) return undefined;
  // Only texts are compared: errors in other manifests do not matter.
  const load = (choose?: ReturnType<typeof among>) => loadWorkspace({ ...source, paths, overlays, choose });
  const workspace = await load(among(trees));
  const isEmpty = workspace.diagnostics.some(({ code }) => code === 'no-manifests');
  if (workspace.files.length === 0 || isEmpty) return undefined;
  if (manifestsDigest(workspace) === digest) return workspace.read;
  // A merge is split after it is read, so its digest has the files of all organizations.
  if (manifestsDigest(await load()) === digest) return workspace.read;
  const changed = await changedSince({ ...source, files, overlays }, workspace, given.commit).catch(
    onGitError(() => []),
  );
  const which =
    changed.length === 0 ? '' : `: ${changed.slice(0, 5).join(', ')}${changed.length > 5 ? ', …' : ''}`;
  throw userError(
    'plan-stale',
    `the manifests of this checkout are not the ones that the plan was made from${which}`,
    'plan and review again; or apply the plan where no manifests are checked out',
  );
}

async function changedSince(
  source: ManifestSource,
  { read = new Map() }: Pick<Workspace, 'read'>,
  commit: string | undefined,
): Promise<readonly string[]> {
  const repository = await findRepository(source);
  if (repository === undefined || commit === undefined) return [];
  const changed = await differencesFrom(repository, commit, { source, read });
  return changed.map(({ file }) => path.relative(source.cwd, path.join(repository.root, file)));
}

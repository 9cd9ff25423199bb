/** Loads the manifests of a run; fails if they have errors. */
import type { OpenRepository, Repository } from '../manifest/files/repository.ts';
import { loadWorkspace, type Workspace, type WorkspaceOptions } from '../manifest/load-workspace.ts';
import { DiagnosticError, hasErrors } from '../util/diagnostic.ts';
import type { ServiceIdentity } from './same-service.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface ManifestSource
  extends Pick<WorkspaceOptions, 'cwd' | 'env' | 'overlays' | 'registry' | 'parsed' | 'now'> {
  readonly identity?: ServiceIdentity | undefined;
  readonly files: readonly string[];
  /** Overlay names by file, if they were read already. */
  readonly overlayFiles?: ReadonlyMap<string, string>;
  /** Git, by default. */
  readonly openRepository?: OpenRepository | undefined;
  readonly repository?: { found?: Promise<Repository | undefined> };
}

/** @throws DiagnosticError if the manifests have errors. */
export async function loadManifests({
  files: paths,
  ...source
}: ManifestSource & Pick<WorkspaceOptions, 'purpose' | 'fakesSecrets' | 'choose'>): Promise<Workspace> {
  const workspace = await loadWorkspace({ paths, ...source });
  const { diagnostics, sources } = workspace;
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, sources);
  return workspace;
}

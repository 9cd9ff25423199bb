/** Existing manifests at the place of an export, which are updated with the live state. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadWorkspace, type Workspace, type WorkspaceOptions } from '../../manifest/load-workspace.ts';
import type { ManifestSource } from '../../past/workspace.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode } from '../../tree/live.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError, hasErrors } from '../../util/diagnostic.ts';

export interface ExistingManifests {
  readonly workspace: Workspace;
  readonly source: ManifestSource;
}

/** @throws DiagnosticError if they have errors. */
export async function openExisting({
  out,
  ...where
}: Omit<WorkspaceOptions, 'paths'> & { readonly out: string }): Promise<ExistingManifests | undefined> {
  if (!existsSync(path.resolve(where.cwd, out))) return undefined;
  const workspace = await loadWorkspace({ ...where, paths: [out] });
  const { diagnostics, sources, overlays } = workspace;
  if (diagnostics.some(({ code }) => code === 'no-manifests')) return undefined;
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, sources);
  const source = { ...where, files: [out], ...defined({ overlayFiles: overlays?.files }) };
  return { workspace, source };
}

export function onlyOrganization({ workspace }: ExistingManifests): string | undefined {
  const [tree, other] = workspace.trees;
  return other === undefined ? (tree?.id ?? tree?.match?.hostname ?? tree?.match?.title) : undefined;
}

export function treeOf({ workspace }: ExistingManifests, { id, fields }: LiveNode): DesiredTree | undefined {
  return workspace.trees.find((tree) =>
    tree.match === undefined
      ? tree.id === id
      : Object.entries(tree.match).every(([name, value]) => fields[name] === value),
  );
}

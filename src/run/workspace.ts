/** Loads the manifests of a run and stops at their errors. */
import type { Registry } from '../kinds/registry.ts';
import type { Repository } from '../manifest/git.ts';
import { loadWorkspace, type Workspace, type WorkspaceOptions } from '../manifest/load-workspace.ts';
import type { ParsedTexts } from '../manifest/parsed-texts.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { Prune } from '../tree/settings.ts';
import { DiagnosticError, hasErrors } from '../util/diagnostic.ts';

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Where manifests come from. */
export interface ManifestSource {
  readonly cwd: string;
  readonly env: Env;
  /** Files and folders, relative to `cwd`. */
  readonly files: readonly string[];
  /** Overlays to merge over the manifests, in this order: names or paths. */
  readonly overlays: readonly string[];
  /** Names of overlays by the files that hold them, where they were read already. */
  readonly overlayFiles?: ReadonlyMap<string, string>;
  readonly registry: Registry;
  /** The texts that were parsed, where a base is read as well. */
  readonly parsed?: ParsedTexts;
  /** Keeps the repository of the manifests once it was looked for. */
  readonly repository?: { found?: Promise<Repository | undefined> };
}

/** The manifests, which hold no error; there may be warnings. Throws a DiagnosticError otherwise. */
export async function loadManifests({
  files: paths,
  ...source
}: ManifestSource & Pick<WorkspaceOptions, 'purpose'>): Promise<Workspace> {
  const workspace = await loadWorkspace({ paths, ...source });
  const { diagnostics, sources } = workspace;
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, sources);
  return workspace;
}

/** The trees with another policy of deleting, for all kinds. */
export function withPrune(trees: readonly DesiredTree[], prune: Prune | undefined): readonly DesiredTree[] {
  if (prune === undefined) return trees;
  return trees.map((tree) => tree.with({ settings: { ...tree.settings, prune, pruneKinds: {} } }));
}

/** Loads the manifests of a run, shows their warnings and stops at their errors. */

import { registry } from '../kinds/index.ts';
import { loadWorkspace, type Workspace } from '../manifest/load-workspace.ts';
import { renderDiagnostics } from '../report/diagnostics.ts';
import type { DesiredTree } from '../tree/desired.ts';
import { DiagnosticError, hasErrors } from '../util/diagnostic.ts';
import type { Invocation } from './invocation.ts';
import type { RunSettings } from './settings.ts';

/** The wanted trees, one per organization. Throws a DiagnosticError when the manifests hold an error. */
export async function loadTrees(
  invocation: Invocation,
  settings: RunSettings,
): Promise<readonly DesiredTree[]> {
  const { prune } = settings;
  const { trees } = await loadManifests(invocation, settings);
  if (prune === undefined) return trees;
  return trees.map((tree) => ({ ...tree, settings: { ...tree.settings, prune, pruneKinds: {} } }));
}

/** All that the manifests are, as they stand. Throws a DiagnosticError when they hold an error. */
export async function loadManifests(invocation: Invocation, settings: RunSettings): Promise<Workspace> {
  const { cwd, env, output } = invocation;
  const { files: paths, overlays } = settings;
  const workspace = await loadWorkspace({ paths, overlays, env, cwd, registry });
  const { diagnostics, sources } = workspace;
  invocation.sources = sources;
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics);
  if (diagnostics.length > 0) {
    const { errorColor: color, errorWidth: width } = output;
    output.note(renderDiagnostics(diagnostics, sources, { color, width }).trimEnd());
  }
  return workspace;
}

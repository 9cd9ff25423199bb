/** Loads the manifests of a run, shows their warnings and stops at their errors. */
import type { WantTree } from '../graph/want.ts';
import { registry } from '../kinds/index.ts';
import { loadWorkspace } from '../manifest/load-workspace.ts';
import { renderDiagnostics } from '../report/diagnostics.ts';
import { DiagnosticError, hasErrors } from '../util/diagnostic.ts';
import type { Invocation } from './invocation.ts';
import type { RunSettings } from './settings.ts';

/** The wanted trees, one per organization. Throws a DiagnosticError when the manifests hold an error. */
export async function loadTrees(invocation: Invocation, settings: RunSettings): Promise<readonly WantTree[]> {
  const { cwd, env, output } = invocation;
  const { files: paths, overlays, prune } = settings;
  const { trees, diagnostics, sources } = await loadWorkspace({ paths, overlays, env, cwd, registry });
  invocation.sources = sources;
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics);
  if (diagnostics.length > 0) {
    const { errorColor: color, errorWidth: width } = output;
    output.note(renderDiagnostics(diagnostics, sources, { color, width }).trimEnd());
  }
  if (prune === undefined) return trees;
  return trees.map((tree) => ({ ...tree, settings: { ...tree.settings, prune, pruneKinds: {} } }));
}

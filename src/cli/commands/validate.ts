/** `octavo validate`: checks the manifests alone; asks no service. */
import { registry } from '../../kinds/index.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import { validationViews } from '../../report/views.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import type { Invocation } from '../invocation.ts';
import { readSettings } from '../settings.ts';
import { viewFor } from '../view-for.ts';

/** Exit code 0 when there is no error, 1 when there is one. */
export async function run(invocation: Invocation): Promise<number> {
  const { cwd, env, flags, output, world } = invocation;
  world.saveMemory?.();
  const { files: paths, overlays } = await readSettings(invocation);
  const workspace = await loadWorkspace({ paths, overlays, env, cwd, registry, purpose: 'check' });
  const { trees, diagnostics, sources } = workspace;
  const isValid = !hasErrors(diagnostics);
  const objects = trees.reduce((sum, { nodes }) => sum + nodes.size, 0);
  const { selected = [], others = [] } = workspace.overlays ?? {};
  const validation = {
    diagnostics,
    sources,
    organizations: trees.length,
    objects,
    overlays: selected.length + others.length,
  };
  const { problems, result } = viewFor(validationViews, flags.format);
  if (problems !== undefined && diagnostics.length > 0) {
    const { errorColor: color, errorWidth: width } = output;
    const text = problems(validation, { color, width }).trimEnd();
    if (isValid) output.note(text);
    else output.error(text);
  }
  output.result(result(validation, output));
  return isValid ? 0 : 1;
}

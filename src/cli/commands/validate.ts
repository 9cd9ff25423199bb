/** `octavo validate`: checks the manifests alone; asks no service. */
import { registry } from '../../kinds/index.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import type { Invocation } from '../invocation.ts';
import { readSettings } from '../settings.ts';
import { chosenViews } from '../view-for.ts';
import { validationViews } from '../views.ts';

/** Exit code 0 when there is no error, 1 when there is one. */
export async function run(invocation: Invocation): Promise<number> {
  const { cwd, env, output, world } = invocation;
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
  const views = await chosenViews(invocation, validationViews);
  const { problems } = views.stdout;
  if (problems !== undefined && diagnostics.length > 0) {
    const { errorColor: color, errorWidth: width } = output;
    const text = problems(validation, { color, width }).trimEnd();
    if (isValid) output.note(text);
    else output.error(text);
  }
  views.all(({ result, problems: shown }, options) => {
    // A file has no stderr beside it.
    const beside = options.isFile === true ? (shown?.(validation, options) ?? '') : '';
    return beside + result(validation, options);
  });
  return isValid ? 0 : 1;
}

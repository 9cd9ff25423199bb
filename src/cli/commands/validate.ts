/** `octavo validate`: checks the manifests alone, and what is valid in them by rules; asks no service. */
import { registry } from '../../kinds/index.ts';
import { lintWorkspace } from '../../manifest/lint/lint.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import type { LintLevel } from '../../util/codes/lint.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import type { Invocation } from '../invocation.ts';
import { readSettings } from '../settings.ts';
import { chosenViews } from '../view-for.ts';
import { validationViews } from '../views.ts';

/** Exit code 0 when there is no error, 1 when there is one. */
export async function run(invocation: Invocation): Promise<number> {
  const { cwd, env, flags, output, world } = invocation;
  world.saveMemory?.();
  const { files: paths, overlays, lint: levels } = await readSettings(invocation);
  const workspace = await loadWorkspace({ paths, overlays, env, cwd, registry, purpose: 'check' });
  const { trees, sources } = workspace;
  // Parts with errors are left out of the trees: rules would find what is there in truth.
  const found = hasErrors(workspace.diagnostics)
    ? []
    : await lintWorkspace(workspace, { registry, cwd, level: flags.lint as LintLevel | undefined, levels });
  const diagnostics = [...workspace.diagnostics, ...found];
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

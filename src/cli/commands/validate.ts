import { registry } from '../../kinds/index.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import { ownRules } from '../../manifest/read-rules.ts';
import { workspaceWarnings } from '../../manifest/warnings/workspace-warnings.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { manifests } from '../line/flags.ts';
import { readSettings } from '../service/settings.ts';
import { chosenViews } from '../show/view-for.ts';
import { validationViews } from '../show/views.ts';

const flags = manifests;

export const command = defineCommand({
  flags,
  views: validationViews,
  run,
});

async function run(invocation: InvocationWith<typeof flags>): Promise<number> {
  const { cwd, env, output, world } = invocation;
  const { files: paths, overlays } = await readSettings(invocation);
  const now = world.clock.now();
  const workspace = await loadWorkspace({ paths, overlays, env, cwd, registry, now, purpose: 'check' });
  const { trees } = workspace;
  const rules = await ownRules(cwd);
  const ofRules = rules.text === undefined ? [] : [[rules.name, rules.text] as const];
  const sources = new Map([...workspace.sources, ...ofRules]);
  // Parts with errors are missing from the trees: checks could report them as missing.
  const found = hasErrors(workspace.diagnostics) ? [] : await workspaceWarnings(workspace, { registry, cwd });
  const diagnostics = [...workspace.diagnostics, ...rules.diagnostics, ...found];
  const isValid = !hasErrors(diagnostics);
  const objects = trees.reduce((sum, { nodes }) => sum + nodes.size - 1, 0);
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
    // A file has no stderr next to it.
    const before = options.isFile === true ? (shown?.(validation, options) ?? '') : '';
    return before + result(validation, options);
  });
  return isValid ? 0 : 1;
}

import { registry } from '../../kinds/index.ts';
import { renderedText } from '../../manifest/emit/render.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import { renderDiagnostics } from '../../report/diagnostics/diagnostics.ts';
import { DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { manifests } from '../line/flags.ts';
import { readSettings } from '../service/settings.ts';

export const command = defineCommand({
  flags: manifests,
  examples: ['octavo render -f docs', 'octavo render -f docs --overlay production > rendered.yaml'],
  guide: 'templates',
  run,
});

async function run(invocation: InvocationWith<typeof manifests>): Promise<number> {
  const { cwd, env, output } = invocation;
  const { files: paths, overlays } = await readSettings(invocation);
  const workspace = await loadWorkspace({ paths, overlays, env, cwd, registry, purpose: 'check' });
  const { diagnostics, sources } = workspace;
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, sources);
  const { errorColor: color, errorWidth: width } = output;
  if (diagnostics.length > 0)
    output.note(renderDiagnostics(diagnostics, sources, { color, width }).trimEnd());
  output.result(renderedText(workspace, registry));
  return 0;
}

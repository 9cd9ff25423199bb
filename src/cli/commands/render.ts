import { registry } from '../../kinds/index.ts';
import { renderedText } from '../../manifest/emit/render.ts';
import { loadManifests } from '../../past/workspace.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { manifests } from '../line/flags.ts';
import { readSettings } from '../service/settings.ts';
import { showNotes } from '../show/notes.ts';

export const command = defineCommand({
  flags: manifests,
  run,
});

async function run(invocation: InvocationWith<typeof manifests>): Promise<number> {
  const { cwd, env, output } = invocation;
  const { files, overlays } = await readSettings(invocation);
  const workspace = await loadManifests({ files, overlays, env, cwd, registry, purpose: 'check' });
  const { diagnostics, sources } = workspace;
  if (diagnostics.length > 0) showNotes(invocation, diagnostics, sources);
  output.result(renderedText(workspace, registry));
  return 0;
}

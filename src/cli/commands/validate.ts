/** `octavo validate`: checks the manifests alone; speaks to no service. */
import { registry } from '../../kinds/index.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import { renderDiagnostics } from '../../report/diagnostics.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import { stableStringify } from '../../util/json.ts';
import type { Invocation } from '../invocation.ts';
import { readSettings } from '../settings.ts';

/** Exit code 0 when there is no error, 1 when there is one. */
export async function run(invocation: Invocation): Promise<number> {
  const { cwd, env, flags, output } = invocation;
  const { files: paths, overlays } = readSettings(invocation);
  const { trees, diagnostics, sources } = await loadWorkspace({ paths, overlays, env, cwd, registry });
  const failed = hasErrors(diagnostics);
  if (flags.format === 'json') {
    output.result(`${stableStringify({ format: 1, valid: !failed, diagnostics }, 2)}\n`);
    return failed ? 1 : 0;
  }
  if (diagnostics.length > 0) {
    const { errorColor: color, errorWidth: width } = output;
    const text = renderDiagnostics(diagnostics, sources, { color, width }).trimEnd();
    if (failed) output.error(text);
    else output.note(text);
  }
  if (failed) return 1;
  const objects = trees.reduce((sum, { nodes }) => sum + nodes.size, 0);
  const parts = [count(trees.length, 'organization'), count(objects, 'object'), count(sources.size, 'file')];
  output.result(`Valid: ${parts.join(', ')}.\n`);
  return 0;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

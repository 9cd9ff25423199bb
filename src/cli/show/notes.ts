import { renderDiagnostics } from '../../report/diagnostics/diagnostics.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { Invocation } from '../line/command.ts';
import type { Output } from '../world/output.ts';

/** As they are shown on stderr. */
export function diagnosticsText(
  { errorColor: color, errorWidth: width }: Pick<Output, 'errorColor' | 'errorWidth'>,
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string, string>,
): string {
  return renderDiagnostics(diagnostics, sources, { color, width }).trimEnd();
}

export function showNotes(
  { output }: Pick<Invocation, 'output'>,
  notes: readonly Diagnostic[],
  sources: ReadonlyMap<string, string>,
): void {
  output.note(diagnosticsText(output, notes, sources));
}

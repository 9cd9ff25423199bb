import { renderDiagnostics } from '../../report/diagnostics/diagnostics.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { Invocation } from '../line/command.ts';

export function showNotes(
  { output }: Pick<Invocation, 'output'>,
  notes: readonly Diagnostic[],
  sources: ReadonlyMap<string, string>,
): void {
  const { errorColor: color, errorWidth: width } = output;
  output.note(renderDiagnostics(notes, sources, { color, width }).trimEnd());
}

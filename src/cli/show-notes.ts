/** Shows what is said beside a result. */
import { renderDiagnostics } from '../report/diagnostics.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import type { Invocation } from './invocation.ts';

/** Writes warnings and hints to stderr. */
export function showNotes(
  { output }: Pick<Invocation, 'output'>,
  notes: readonly Diagnostic[],
  sources: ReadonlyMap<string, string>,
): void {
  const { errorColor: color, errorWidth: width } = output;
  output.note(renderDiagnostics(notes, sources, { color, width }).trimEnd());
}

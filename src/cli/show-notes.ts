/** Shows the warnings and hints that planning came upon. */
import type { Plan } from '../plan/plan.ts';
import { renderDiagnostics } from '../report/diagnostics.ts';
import type { Invocation } from './invocation.ts';

/** Writes the notes of a plan to stderr, unless there are none. */
export function showNotes({ output, sources }: Invocation, plan: Plan): void {
  const notes = plan.organizations.flatMap((organization) => organization.notes);
  if (notes.length === 0) return;
  const { errorColor: color, errorWidth: width } = output;
  output.note(renderDiagnostics(notes, sources, { color, width }).trimEnd());
}

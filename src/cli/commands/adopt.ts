/** `octavo adopt`: writes the ids of live objects into the manifests. Changes files, never the service. */
import { renderDiagnostics } from '../../report/diagnostics.ts';
import { adopt } from '../../run/adopt/adopt.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import type { Invocation } from '../invocation.ts';
import { openCommandSession } from '../session.ts';
import { readSettings } from '../settings.ts';
import { chosenViews } from '../view-for.ts';
import { adoptViews } from '../views.ts';

/** Exit code 0, 1 when a file could not be edited soundly, 130 when interrupted before anything was written. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, output, interrupt } = invocation;
  const { session, match } = await openCommandSession(invocation, await readSettings(invocation), {
    base: 'none',
  });
  try {
    const { target, exclude, into, dryRun = false } = flags;
    const isInterrupted = () => interrupt.requested;
    const adopted = await adopt(session, await match(), { target, exclude, into, dryRun, isInterrupted });
    if (adopted.type === 'interrupted') {
      output.error('Interrupted. Nothing was written.');
      return interrupt.exitCode;
    }
    const { notes, adoption } = adopted;
    if (notes.length > 0) {
      const { errorColor: color, errorWidth: width } = output;
      const text = renderDiagnostics(notes, session.workspace.sources, { color, width }).trimEnd();
      if (hasErrors(notes)) output.error(text);
      else output.note(text);
    }
    (await chosenViews(invocation, adoptViews)).all((view, options) => view(adoption, options));
    return hasErrors(notes) ? 1 : 0;
  } finally {
    await session.close();
  }
}

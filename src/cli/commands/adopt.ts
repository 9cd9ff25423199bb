import { renderDiagnostics } from '../../report/diagnostics/diagnostics.ts';
import { adopt } from '../../run/write-back/adopt.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { comparing, flagTable, manifests, service, targets, writing } from '../line/flags.ts';
import { openCommandSession } from '../service/session.ts';
import { readSettings } from '../service/settings.ts';
import { chosenViews } from '../show/view-for.ts';
import { adoptViews } from '../show/views.ts';

const flags = {
  ...manifests,
  ...service,
  ...comparing,
  ...targets,
  ...flagTable('Other flags', {
    into: {
      type: 'string',
      value: 'path',
      description: 'Write the ids into this file, new or existing, as an overlay',
    },
  }),
  ...writing,
};

type AdoptInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  flags,
  views: adoptViews,
  examples: [
    'octavo adopt -f docs --dry-run',
    'octavo adopt -f docs --overlay production --into production.ids.yaml',
  ],
  guide: 'identity',
  run,
});

async function run(invocation: AdoptInvocation): Promise<number> {
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

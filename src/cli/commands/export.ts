import { registry } from '../../kinds/index.ts';
import { leftOutText } from '../../report/results/export.ts';
import type { Pinning } from '../../run/export/export.ts';
import { type ExportRun, exportRun } from '../../run/export/export-to.ts';
import { isFileName } from '../../run/export/write-export.ts';
import { ServiceLink } from '../../run/reads/service-link.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import {
  exporting,
  flagTable,
  manifests,
  oneOf,
  planFiles,
  service,
  texts,
  toggle,
  writing,
} from '../line/flags.ts';
import { connect } from '../service/connection.ts';
import { readSettings } from '../service/settings.ts';
import { chosenViews } from '../show/view-for.ts';
import { exportViews } from '../show/views.ts';

const flags = {
  ...service,
  ...exporting,
  ...flagTable('Workspace', {
    only: texts('glob', 'Only these addresses and what is inside them; repeatable'),
    pin: oneOf(
      ['all', 'ambiguous', 'none'],
      'Which ids to write (default: ambiguous, only where titles and paths are not enough)',
    ),
    split: toggle('One file for each kind and each site (needs --out)'),
  }),
  overlay: manifests.overlay,
  out: { ...planFiles.out, description: 'Write the manifests to this file or folder (default: stdout)' },
  ...writing,
};

type ExportInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  flags,
  views: exportViews,
  run,
});

async function run(invocation: ExportInvocation): Promise<number> {
  const { flags, output, interrupt } = invocation;
  refuseFlags(flags);
  const views = await chosenViews(invocation, exportViews);
  const exported = await exportWith(invocation);
  if (exported.type === 'interrupted') return interrupt.wroteNothing();
  const { report } = exported;
  const notes = leftOutText(report);
  if (notes !== '') output.note(notes);
  views.all((view, options) => view(report, options));
  return (report.merge?.refused.length ?? 0) > 0 ? 1 : 0;
}

async function exportWith(invocation: ExportInvocation): Promise<ExportRun> {
  const { flags, output, interrupt, cwd, env, folder } = invocation;
  const settings = await readSettings(invocation);
  const link = new ServiceLink((trees) => connect(invocation, settings, trees));
  const { out, organization, only, pin = 'ambiguous', split, dryRun = false } = flags;
  const options = {
    ...{ registry, cwd, env, out, overlays: settings.overlays, organization, only, dryRun, folder },
    pin: pin as Pinning,
    layout: split === true ? 'split' : 'one',
    isInterrupted: () => interrupt.requested,
  } as const;
  try {
    return await output.during('Reading the live state', async () => exportRun(await link.api([]), options));
  } finally {
    await link.close();
  }
}

function refuseFlags({ split, out }: ExportInvocation['flags']): void {
  if (split !== true || (out !== undefined && !isFileName(out))) return;
  throw userError(
    'usage',
    out === undefined ? '--split writes several files' : `--split writes several files, and ${out} is one`,
    'name a folder with --out',
  );
}

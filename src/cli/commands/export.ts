/** `octavo export`: writes the live workspace as manifests. Changes files, never the service. */
import { registry } from '../../kinds/index.ts';
import { leftOutText } from '../../report/export-text.ts';
import type { Pinning } from '../../run/export/export.ts';
import { type ExportRun, exportTo } from '../../run/export/export-to.ts';
import { isFileName } from '../../run/export/write-export.ts';
import { ServiceLink } from '../../run/service-link.ts';
import { userError } from '../../util/user-error.ts';
import { connect } from '../connection.ts';
import type { Flags } from '../flags.ts';
import type { Invocation } from '../invocation.ts';
import { readSettings } from '../settings.ts';
import { chosenViews } from '../view-for.ts';
import { exportViews } from '../views.ts';

/** Exit code 0, 1 when something could not be written into existing manifests, 130 when interrupted before anything was written. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, output, interrupt, world } = invocation;
  refuseFlags(flags);
  world.saveMemory?.();
  const views = await chosenViews(invocation, exportViews);
  const exported = await exportWith(invocation);
  if (exported.type === 'interrupted') {
    output.error('Interrupted. Nothing was written.');
    return interrupt.exitCode;
  }
  const { report } = exported;
  const notes = leftOutText(report);
  if (notes !== '') output.note(notes);
  views.all((view, options) => view(report, options));
  return (report.merge?.refused.length ?? 0) > 0 ? 1 : 0;
}

async function exportWith(invocation: Invocation): Promise<ExportRun> {
  const { flags, output, interrupt, cwd, env } = invocation;
  const settings = await readSettings(invocation);
  const link = new ServiceLink((trees) => connect(invocation, settings, trees));
  const progress = await output.progress('Reading the live state');
  try {
    const { out, organization, only, pin = 'ambiguous', split, dryRun = false } = flags;
    return await exportTo(await link.api([]), {
      registry,
      cwd,
      env,
      out,
      overlays: settings.overlays,
      organization,
      only,
      pin: pin as Pinning,
      layout: split === true ? 'split' : 'one',
      dryRun,
      isInterrupted: () => interrupt.requested,
    });
  } finally {
    progress.stop();
    await link.close();
  }
}

function refuseFlags({ split, out }: Flags): void {
  if (split !== true || (out !== undefined && !isFileName(out))) return;
  throw userError(
    'usage',
    out === undefined ? '--split writes several files' : `--split writes several files, and ${out} is one`,
    'name a folder with --out',
  );
}

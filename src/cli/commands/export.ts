/** `octavo export`: writes the live workspace as manifests. Changes files, never the service. */
import { registry } from '../../kinds/index.ts';
import { type ExportReport, leftOutText } from '../../report/export-text.ts';
import { type Exported, exportOrganization, type Pinning } from '../../run/export/export.ts';
import { isFileName, writeExport } from '../../run/export/write-export.ts';
import { ServiceLink } from '../../run/service-link.ts';
import { userError } from '../../util/user-error.ts';
import { connect } from '../connection.ts';
import type { Flags } from '../flags.ts';
import type { Invocation } from '../invocation.ts';
import { readSettings } from '../settings.ts';
import { chosenViews } from '../view-for.ts';
import { exportViews } from '../views.ts';

/** Exit code 0, 130 when interrupted before anything was written. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, output, interrupt, world, cwd } = invocation;
  refuseFlags(flags);
  world.saveMemory?.();
  const views = await chosenViews(invocation, exportViews);
  const exported = await read(invocation);
  if (interrupt.requested) {
    output.error('Interrupted. Nothing was written.');
    return interrupt.exitCode;
  }
  const { out, dryRun = false } = flags;
  const { files: texts, ...rest } = exported;
  const files =
    out === undefined
      ? texts.map(({ text }) => ({ action: 'shown' as const, text }))
      : writeExport(texts, { cwd, out, dryRun });
  const report: ExportReport = { ...rest, files, dryRun };
  const notes = leftOutText(report);
  if (notes !== '') output.note(notes);
  views.all((view, options) => view(report, options));
  return 0;
}

async function read(invocation: Invocation): Promise<Exported> {
  const { flags, output } = invocation;
  const settings = await readSettings(invocation);
  const link = new ServiceLink((trees) => connect(invocation, settings, trees));
  const progress = await output.progress('Reading the live state');
  try {
    const { organization, only, pin = 'ambiguous', split } = flags;
    return await exportOrganization(await link.api([]), {
      registry,
      organization,
      only,
      pin: pin as Pinning,
      layout: split === true ? 'split' : 'one',
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

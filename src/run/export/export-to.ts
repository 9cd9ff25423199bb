/** Exports into existing manifests, as new files, or only into the result. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Api } from '../../contract/api.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import { pastsOf } from '../../past/pasts.ts';
import type { Env } from '../../past/workspace.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode } from '../../tree/live.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError, hasErrors, withSources } from '../../util/diagnostic.ts';
import type { WriteBackOptions } from '../write-back/accept.ts';
import { type WriteDownOptions, writeDown } from './export.ts';
import { type ExportInputOptions, readExportInput } from './export-input.ts';
import type { ExportReport } from './export-into.ts';
import { type ExportedFile, writeExport } from './write-export.ts';

export interface ExportToOptions
  extends WriteBackOptions,
    Omit<WriteDownOptions, 'recorded'>,
    Omit<ExportInputOptions, 'known'> {
  readonly cwd: string;
  readonly env: Env;
  /** A file or folder, relative to `cwd`; if absent, the manifests are only returned. */
  readonly out?: string | undefined;
  readonly overlays: readonly string[];
}

export type ExportRun = Awaited<ReturnType<typeof exportRun>>;

/**
 * `interrupted`: no file was written.
 * @throws DiagnosticError if existing files are in the way, or the result would not match the live state; ApiError if a request fails.
 */
export async function exportRun(api: Api, options: ExportToOptions) {
  const { out, registry, cwd, env, overlays, dryRun } = options;
  const existing = out === undefined ? undefined : await openExisting({ ...options, out });
  const trees = existing?.workspace.trees ?? [];
  const [first, other] = trees;
  const { id, match } = (other === undefined ? first : undefined) ?? {};
  const { organization = id ?? match?.hostname ?? match?.title } = options;
  const known = trees.flatMap(({ nodes }) => [...nodes.keys()]);
  const input = await readExportInput(api, { ...options, organization, known });
  const tree = trees.find((one) => declares(one, input.outline.root));
  const label = tree?.label ?? input.state.live.organizationId;
  // Uses the existing manifests, or their future place, to look up records of former applies.
  const source = existing?.source ?? { cwd, env, registry, overlays, files: [] };
  const recorded = (await pastsOf(source, [{ label }])).get(label)?.ids;
  if (existing !== undefined && tree !== undefined) {
    // Only existing manifests need their editor.
    const { exportInto } = await import('./export-into.ts');
    const merged = exportInto(api, input, { ...options, existing, tree, recorded });
    return withSources(existing.workspace.sources, merged);
  }
  const { files: texts, ...rest } = await writeDown(api, input, { ...options, recorded });
  if (options.isInterrupted()) return { type: 'interrupted' as const };
  const files: readonly ExportedFile[] =
    out === undefined
      ? texts.map(({ text }) => ({ action: 'shown', text }))
      : await writeExport(texts, { ...options, out });
  const report: ExportReport = { ...rest, files, dryRun };
  return { type: 'exported' as const, report };
}

/** @throws DiagnosticError if they have errors. */
async function openExisting({ out, ...where }: ExportToOptions & { readonly out: string }) {
  if (!existsSync(path.resolve(where.cwd, out))) return undefined;
  const workspace = await loadWorkspace({ ...where, paths: [out] });
  const { diagnostics, sources, overlays } = workspace;
  if (diagnostics.some(({ code }) => code === 'no-manifests')) return undefined;
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, sources);
  return { workspace, source: { ...where, files: [out], ...defined({ overlayFiles: overlays?.files }) } };
}

function declares({ match, id }: DesiredTree, { id: own, fields }: LiveNode): boolean {
  if (match === undefined) return id === own;
  return Object.entries(match).every(([name, value]) => fields[name] === value);
}

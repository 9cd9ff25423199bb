/** Reads the manifests of a base, wherever their files come from. */
import path from 'node:path';
import type { ManifestFiles } from '../../manifest/disk.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import type { ManifestSource } from '../workspace.ts';
import type { Bases } from './load-base.ts';

/** What was read of a base. */
export interface BaseManifests {
  /** The trees, by label; none where there are no manifests. */
  readonly found: Bases;
  /** Files and folders that are read as manifests, and that the base does not have; as they are named. */
  readonly missing: readonly string[];
}

/** The manifests in some files. */
export async function loadFrom(
  source: ManifestSource,
  name: string,
  files: ManifestFiles,
): Promise<BaseManifests> {
  const { cwd, env, registry, parsed } = source;
  const given = source.files.length === 0 ? ['.'] : source.files;
  const types = await Promise.all(given.map((one) => files.type(path.resolve(cwd, one))));
  const paths = given.filter((_one, index) => types[index] !== 'missing');
  const missing = given.filter((_one, index) => types[index] === 'missing');
  if (paths.length === 0) return { found: new Map(), missing };
  const { overlays, overlayFiles: formerOverlays } = source;
  const workspace = await loadWorkspace({
    paths,
    overlays,
    env,
    cwd,
    registry,
    files,
    purpose: 'base',
    ...defined({ formerOverlays, parsed }),
  });
  const diagnostics = workspace.diagnostics.filter(({ code }) => code !== 'no-manifests');
  if (hasErrors(diagnostics)) {
    const wayOut = 'the base cannot be changed; name another one with --base, or plan without';
    throw inCommit({ ...workspace, diagnostics }, { where: `the base ${name}`, wayOut });
  }
  return { found: new Map(workspace.trees.map((tree) => [tree.label, tree])), missing };
}

/** The errors of manifests that are not in the work tree. */
export function inCommit(
  { diagnostics, sources }: Workspace,
  { where, wayOut }: { readonly where: string; readonly wayOut: string },
): DiagnosticError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const problems = errors.map(({ message, suggestion, ...rest }) => ({
    ...rest,
    message: `in ${where}: ${message}`,
    suggestion: `${suggestion === undefined ? '' : `${suggestion}\n`}${wayOut}`,
  }));
  return new DiagnosticError(problems, sources);
}

/** An organization of which nothing was declared. */
export function undeclared(tree: DesiredTree): DesiredTree {
  const root = tree.nodes.get(rootAddress);
  const nodes = root === undefined ? [] : [[rootAddress, { ...root, fields: {}, declares: [] }] as const];
  return tree.with({ nodes: new Map(nodes) });
}

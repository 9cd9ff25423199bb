/** Loads the base: the manifests as a git ref, a folder or the last apply had them, one tree per organization. */
import path from 'node:path';
import { disk, type ManifestFiles } from '../manifest/disk.ts';
import { Git, GitError } from '../manifest/git-files.ts';
import { loadWorkspace } from '../manifest/load-workspace.ts';
import { rootAddress } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { defined } from '../util/defined.ts';
import { DiagnosticError, hasErrors } from '../util/diagnostic.ts';
import { userError } from '../util/user-error.ts';
import type { ManifestSource } from './workspace.ts';

/** The base of each organization, by its label. An organization that the base does not know was not declared then. */
export type Bases = ReadonlyMap<string, DesiredTree>;

/** The git ref under which an organization's last apply is recorded. */
export function appliedRef(tree: Pick<DesiredTree, 'label'>): string {
  return `refs/octavo/applied/${encodeURIComponent(tree.label).replace(/[%.~*]/g, '_')}`;
}

/** Loads the base of that name: a folder, `applied`, or a git ref. Throws a DiagnosticError where there is none. */
export async function loadBases(
  source: ManifestSource,
  base: string,
  trees: readonly DesiredTree[],
): Promise<Bases> {
  try {
    if (base === 'applied') return await loadApplied(source, trees);
    const folder = path.resolve(source.cwd, base);
    const found =
      (await disk.type(folder)) === 'folder'
        ? await loadFrom({ ...source, cwd: folder }, path.basename(folder), disk)
        : await loadCommit(source, base);
    return new Map(trees.map((tree) => [tree.label, found.get(tree.label) ?? undeclared(tree)]));
  } catch (error) {
    if (error instanceof GitError) {
      throw userError('base', `cannot read the base ${base}: ${error.message}`, 'check the ref of --base');
    }
    throw error;
  }
}

async function loadApplied(source: ManifestSource, trees: readonly DesiredTree[]): Promise<Bases> {
  const repository = await repositoryFor(source);
  const git = new Git(source.env);
  const bases = new Map<string, DesiredTree>();
  for (const tree of trees) {
    const ref = appliedRef(tree);
    const commit = await git.commitOf(repository, ref);
    if (commit === undefined) {
      throw userError(
        'base',
        `nothing is recorded as applied for ${tree.label}: ${ref} not found`,
        'record it with octavo apply --record, fetch the ref, or name another base, for example --base origin/main',
      );
    }
    const found = await loadFrom(source, commit.slice(0, 12), await git.files(repository, commit));
    bases.set(tree.label, found.get(tree.label) ?? undeclared(tree));
  }
  return bases;
}

async function loadCommit(source: ManifestSource, ref: string): Promise<Bases> {
  const repository = await repositoryFor(source);
  const git = new Git(source.env);
  const commit = await git.commitOf(repository, ref);
  if (commit === undefined) {
    throw userError(
      'base',
      `no git ref and no folder is named ${ref}`,
      'name a branch, a tag or a commit; in CI, fetch it first (a shallow clone holds only one commit)',
    );
  }
  return loadFrom(source, ref, await git.files(repository, commit));
}

/** The repository of the manifests, which need not be that of the working folder. */
export async function repositoryFor({ cwd, env, files }: ManifestSource): Promise<string> {
  const [first = '.'] = files;
  const given = path.resolve(cwd, first);
  const folder = (await disk.type(given)) === 'folder' ? given : path.dirname(given);
  const repository = await new Git(env).repositoryOf(folder);
  if (repository !== undefined) return repository;
  throw userError(
    'base',
    `${folder} is not in a git repository, so no base can be read from it`,
    'name a folder that holds the manifests as they were: --base path/to/folder',
  );
}

async function loadFrom(source: ManifestSource, name: string, files: ManifestFiles): Promise<Bases> {
  const { cwd, env, registry } = source;
  const existing = async (paths: readonly string[]) => {
    const types = await Promise.all(paths.map((given) => files.type(path.resolve(cwd, given))));
    return paths.filter((_given, index) => types[index] !== 'missing');
  };
  const paths = await existing(source.files.length === 0 ? ['.'] : source.files);
  if (paths.length === 0) return new Map();
  const { trees, diagnostics, sources } = await loadWorkspace({
    paths,
    overlays: source.overlays,
    env,
    cwd,
    registry,
    files,
    purpose: 'base',
    ...defined({ formerOverlays: source.overlayFiles }),
  });
  const problems = diagnostics.filter(({ code }) => code !== 'no-manifests');
  if (hasErrors(problems)) {
    throw new DiagnosticError(
      problems
        .filter(({ severity }) => severity === 'error')
        .map(({ message, suggestion, ...rest }) => ({
          ...rest,
          message: `in the base ${name}: ${message}`,
          suggestion: `${suggestion === undefined ? '' : `${suggestion}\n`}the base cannot be changed; name another one with --base, or plan without`,
        })),
      sources,
    );
  }
  return new Map(trees.map((tree) => [tree.label, tree]));
}

/** An organization of which nothing was declared. */
function undeclared(tree: DesiredTree): DesiredTree {
  const root = tree.nodes.get(rootAddress);
  const nodes = root === undefined ? [] : [[rootAddress, { ...root, fields: {}, declares: [] }] as const];
  return tree.with({ nodes: new Map(nodes) });
}

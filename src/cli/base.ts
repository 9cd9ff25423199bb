/** Loads the base: the manifests as a git ref, a folder or the last apply had them, one tree per organization. */
import path from 'node:path';
import { registry } from '../kinds/index.ts';
import { disk, type ManifestFiles } from '../manifest/disk.ts';
import { Git, GitError } from '../manifest/git-files.ts';
import { loadWorkspace } from '../manifest/load-workspace.ts';
import { type DesiredTree, rootAddress } from '../tree/desired.ts';
import { DiagnosticError, hasErrors } from '../util/diagnostic.ts';
import type { Invocation } from './invocation.ts';
import type { RunSettings } from './settings.ts';
import { userError } from './user-error.ts';

/** The base of each organization, by its label. An organization that the base does not know was not declared then. */
export type Bases = ReadonlyMap<string, DesiredTree>;

/** The git ref under which an organization's last apply is recorded. */
export function appliedRef(tree: Pick<DesiredTree, 'label'>): string {
  return `refs/octavo/applied/${encodeURIComponent(tree.label).replace(/[%.~*]/g, '_')}`;
}

/** Loads what `--base` names, or nothing where it is not given. Throws a UserError where that cannot be had. */
export async function loadBases(
  invocation: Invocation,
  settings: RunSettings,
  trees: readonly DesiredTree[],
): Promise<Bases | undefined> {
  const { base, ignoreDrift } = invocation.flags;
  if (base === undefined) {
    if (ignoreDrift !== true) return undefined;
    throw userError(
      'base',
      'without a base, drift cannot be told from change',
      'say what was applied before, for example --base origin/main',
    );
  }
  try {
    if (base === 'applied') return await loadApplied(invocation, settings, trees);
    const folder = path.resolve(invocation.cwd, base);
    const found =
      (await disk.type(folder)) === 'folder'
        ? await loadFolder(invocation, settings, folder)
        : await loadCommit(invocation, settings, base);
    return new Map(trees.map((tree) => [tree.label, found.get(tree.label) ?? undeclared(tree)]));
  } catch (error) {
    if (error instanceof GitError) {
      throw userError(
        'base',
        `the base ${base} cannot be read: ${error.message}`,
        'check the ref given with --base',
      );
    }
    throw error;
  }
}

async function loadApplied(
  invocation: Invocation,
  settings: RunSettings,
  trees: readonly DesiredTree[],
): Promise<Bases> {
  const repository = await repositoryFor(invocation, settings);
  const bases = new Map<string, DesiredTree>();
  for (const tree of trees) {
    const ref = appliedRef(tree);
    const commit = await new Git(invocation.env).commitOf(repository, ref);
    if (commit === undefined) {
      throw userError(
        'base',
        `nothing is recorded as applied for ${tree.label}: there is no ${ref}`,
        'record it with octavo apply --record, fetch the ref, or name another base, for example --base origin/main',
      );
    }
    const found = await loadFrom(
      invocation,
      settings,
      commit.slice(0, 12),
      await new Git(invocation.env).files(repository, commit),
    );
    bases.set(tree.label, found.get(tree.label) ?? undeclared(tree));
  }
  return bases;
}

async function loadCommit(invocation: Invocation, settings: RunSettings, ref: string): Promise<Bases> {
  const repository = await repositoryFor(invocation, settings);
  const commit = await new Git(invocation.env).commitOf(repository, ref);
  if (commit === undefined) {
    throw userError(
      'base',
      `there is no git ref, and no folder, named ${ref}`,
      'name a branch, a tag or a commit; in CI, fetch it first (a shallow clone holds only one commit)',
    );
  }
  return loadFrom(invocation, settings, ref, await new Git(invocation.env).files(repository, commit));
}

async function loadFolder(invocation: Invocation, settings: RunSettings, folder: string): Promise<Bases> {
  return loadFrom({ ...invocation, cwd: folder }, settings, path.basename(folder), disk);
}

/** The repository of the manifests, which need not be that of the working folder. */
export async function repositoryFor(invocation: Invocation, settings: RunSettings): Promise<string> {
  const [first = '.'] = settings.files;
  const given = path.resolve(invocation.cwd, first);
  const folder = (await disk.type(given)) === 'folder' ? given : path.dirname(given);
  const repository = await new Git(invocation.env).repositoryOf(folder);
  if (repository !== undefined) return repository;
  throw userError(
    'base',
    `${folder} is in no git repository, so no base can be read from it`,
    'name a folder that holds the manifests as they were: --base path/to/folder',
  );
}

async function loadFrom(
  { cwd, env }: Pick<Invocation, 'cwd' | 'env'>,
  settings: RunSettings,
  name: string,
  files: ManifestFiles,
): Promise<Bases> {
  const there = async (paths: readonly string[]) => {
    const types = await Promise.all(paths.map((given) => files.type(path.resolve(cwd, given))));
    return paths.filter((_given, index) => types[index] !== 'missing');
  };
  const paths = await there(settings.files.length === 0 ? ['.'] : settings.files);
  if (paths.length === 0) return new Map();
  const overlays = await there(settings.overlays);
  const { trees, diagnostics } = await loadWorkspace({ paths, overlays, env, cwd, registry, files });
  const wrong = diagnostics.filter(({ code }) => code !== 'no-manifests');
  if (hasErrors(wrong)) {
    throw new DiagnosticError(
      wrong
        .filter(({ severity }) => severity === 'error')
        .map(({ message, suggestion, ...rest }) => ({
          ...rest,
          message: `in the base ${name}: ${message}`,
          suggestion: `${suggestion === undefined ? '' : `${suggestion}\n`}the base cannot be changed; name another one with --base, or plan without`,
        })),
    );
  }
  return new Map(trees.map((tree) => [tree.label, tree]));
}

/** An organization of which nothing was declared. */
function undeclared(tree: DesiredTree): DesiredTree {
  const root = tree.nodes.get(rootAddress);
  const nodes = root === undefined ? [] : [[rootAddress, { ...root, fields: {}, declares: [] }] as const];
  return { ...tree, nodes: new Map(nodes) };
}

/**
 * Finds the former place of manifests in a commit that has none at today's path, because a moved folder must not look new. Also
 * finds today's place of objects that a run's manifests no longer declare, because a moved object must not look deleted.
 */
import path from 'node:path';
import { disk } from '../../manifest/files/disk.ts';
import { isOutside } from '../../manifest/files/paths.ts';
import type { Repository } from '../../manifest/files/repository.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import type { OrganizationPlan, Step } from '../../plan/plan.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { countOf } from '../../util/count.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { grouped } from '../../util/group.ts';
import { userError } from '../../util/user-error.ts';
import type { ManifestSource } from '../workspace.ts';
import { findRepository, manifestPaths } from './repository.ts';

/** Files of this work tree that the run does not read, by label and by the addresses that they and the base declare, but it does not. */
export type DeclaredElsewhere = ReadonlyMap<string, ReadonlyMap<string, string>>;

export async function declaredElsewhere(
  source: ManifestSource,
  { trees, sources }: Pick<Workspace, 'trees' | 'sources'>,
  bases: ReadonlyMap<string, DesiredTree>,
): Promise<DeclaredElsewhere> {
  const left = new Map(
    trees.map((tree) => {
      const former = [...(bases.get(tree.label)?.nodes.keys() ?? [])];
      return [tree.label, new Set(former.filter((address) => !tree.nodes.has(address)))];
    }),
  );
  const isWhole = [...left.values()].every((addresses) => addresses.size === 0);
  const repository = isWhole ? undefined : await findRepository(source);
  if (repository === undefined || manifestPaths(source).includes(repository.root)) return new Map();
  // Loads without secrets, like a base. Invalid parts are skipped.
  const { cwd, env, registry } = source;
  const paths = [repository.root];
  const all = await loadWorkspace({ cwd, env, registry, paths, overlays: [], purpose: 'base' });
  return new Map(
    all.trees.map(({ label, nodes }) => {
      const found = [...(left.get(label) ?? [])].flatMap((address) => {
        const file = nodes.get(address)?.at.file;
        return file === undefined || sources.has(file) ? [] : [[address, file] as const];
      });
      return [label, new Map(found)];
    }),
  );
}

export function elsewhereNotes(
  { steps }: Pick<OrganizationPlan, 'steps'>,
  declared: ReadonlyMap<string, string> = new Map(),
): readonly Diagnostic[] {
  const deleted = steps.flatMap(({ address, phase }) => {
    const file = phase === 'delete' ? declared.get(address) : undefined;
    return file === undefined ? [] : [{ address, file }];
  });
  return [...grouped(deleted, ({ file }) => file)].map(([file, [first, ...more]]) => ({
    severity: 'warning',
    code: 'base',
    message: `${file} declares ${first?.address}${more.length === 0 ? '' : ` and ${countOf(more.length, 'other object')}`}, which this plan deletes: it does not read that file`,
    suggestion: 'if it moved there, plan both: pass -f for each of them',
  }));
}

/** Deletes of objects that an unread file declares say so. */
export function withUnread(steps: readonly Step[], declared?: ReadonlyMap<string, string>): readonly Step[] {
  return steps.map((step) => {
    const file = step.phase === 'delete' ? declared?.get(step.address) : undefined;
    return file === undefined
      ? step
      : { ...step, reason: `declared in ${file}, which this plan does not read` };
  });
}

export interface EmptyBase {
  readonly name: string;
  readonly commit: string;
  readonly paths: readonly string[];
  readonly all: readonly string[];
}

/** Throws a DiagnosticError with the former place of the manifests; returns if no removed manifests are found. */
export async function refuseMoved(repository: Repository, base: EmptyBase): Promise<void> {
  const { root } = repository;
  const name = (file: string) => path.relative(root, file) || '.';
  const isRead = (file: string) =>
    base.all.some((one) => !base.paths.includes(one) && !isOutside(one, path.join(root, file)));
  const former = [...(await renamedFrom(repository, base)), ...(await goneSince(repository, base))];
  const places = new Set(shallowest(former.filter((file) => !isRead(file))));
  if (places.size === 0) return;
  const found = [...places].sort();
  const [first = ''] = found;
  const here = base.paths.map(name).join(', ');
  const others = base.all.filter((file) => !base.paths.includes(file)).map(name);
  // The name of a record is not a ref.
  const ref = base.name.includes(' ') ? base.commit.slice(0, 12) : base.name;
  const written = `--base ${ref}:${[...others, first].join(',')}`;
  throw userError(
    'base-moved',
    `${base.name} has no manifests in ${here}: there they are in ${found.join(', ')}`,
    found.length === 1 ? `pass ${written}` : `pass the folder that ${here} was, for example ${written}`,
  );
}

async function renamedFrom(repository: Repository, base: EmptyBase): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const [before, after] of await repository.renamedSince(base.commit)) {
    if (!/\.ya?ml$/i.test(after)) continue;
    const inside = base.paths
      .map((folder) => path.relative(folder, path.join(repository.root, after)).split(path.sep).join('/'))
      .find((file) => !file.startsWith('..') && !path.isAbsolute(file));
    if (inside !== undefined) folders.push(withoutEnd(before, inside));
  }
  return folders;
}

/** `base/teams/a.yaml` without `teams/a.yaml` is `base`; for a renamed file, returns its folder. */
function withoutEnd(file: string, end: string): string {
  if (end === '') return file;
  if (file === end) return '.';
  return file.endsWith(`/${end}`) ? file.slice(0, -end.length - 1) : path.posix.dirname(file);
}

async function goneSince(repository: Repository, { commit }: EmptyBase): Promise<readonly string[]> {
  const files = await repository.search(commit, '^["\']?octavo["\']?[[:space:]]*:');
  const gone: string[] = [];
  for (const file of files)
    if ((await disk.type(path.join(repository.root, file))) === 'missing')
      gone.push(path.posix.dirname(file));
  return gone;
}

function shallowest(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)];
  return all.filter(
    (folder) => !all.some((other) => other !== folder && (other === '.' || folder.startsWith(`${other}/`))),
  );
}

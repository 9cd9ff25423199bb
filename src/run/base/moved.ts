/**
 * Finds the former place of the manifests for a commit without any at today's path: a moved folder must not look like
 * a new one.
 */
import path from 'node:path';
import { disk } from '../../manifest/files/disk.ts';
import type { Repository } from '../../manifest/files/git.ts';
import { leaves } from '../../manifest/files/paths.ts';
import { userError } from '../../util/user-error.ts';

export interface EmptyBase {
  readonly name: string;
  readonly commit: string;
  readonly paths: readonly string[];
  readonly all: readonly string[];
}

/** Throws a DiagnosticError with the former place of the manifests; returns if there are none that were removed. */
export async function refuseMoved(repository: Repository, base: EmptyBase): Promise<void> {
  const { root } = repository;
  const name = (file: string) => path.relative(root, file) || '.';
  const isRead = (file: string) =>
    base.all.some((one) => !base.paths.includes(one) && !leaves(one, path.join(root, file)));
  const former = [...(await renamedFrom(repository, base)), ...(await goneSince(repository, base))];
  const places = new Set(shallowest(former.filter((file) => !isRead(file))));
  if (places.size === 0) return;
  const found = [...places].sort();
  const [first = ''] = found;
  const here = base.paths.map(name).join(', ');
  const others = base.all.filter((file) => !base.paths.includes(file)).map(name);
  throw userError(
    'base-moved',
    `${base.name} has no manifests in ${here}: there they are in ${found.join(', ')}`,
    found.length === 1
      ? `pass --base ${base.name}:${[...others, first].join(',')}`
      : `pass the folder that ${here} was, for example --base ${base.name}:${[...others, first].join(',')}`,
  );
}

async function renamedFrom({ git, root }: Repository, base: EmptyBase): Promise<readonly string[]> {
  const output = await git.run(root, [
    'diff-index',
    '--cached',
    '--no-ext-diff',
    '--no-textconv',
    '--find-renames',
    '--diff-filter=R',
    '--name-status',
    '-z',
    base.commit,
  ]);
  const parts = String(output).split('\0');
  const folders: string[] = [];
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [before = '', after = ''] = [parts[at + 1], parts[at + 2]];
    if (!/\.ya?ml$/i.test(after)) continue;
    const inside = base.paths
      .map((folder) => path.relative(folder, path.join(root, after)).split(path.sep).join('/'))
      .find((file) => !file.startsWith('..') && !path.isAbsolute(file));
    if (inside !== undefined) folders.push(withoutEnd(before, inside));
  }
  return folders;
}

/** `base/teams/a.yaml` without `teams/a.yaml` is `base`; for a renamed file, its folder. */
function withoutEnd(file: string, end: string): string {
  if (end === '') return file;
  if (file === end) return '.';
  return file.endsWith(`/${end}`) ? file.slice(0, -end.length - 1) : path.posix.dirname(file);
}

async function goneSince({ git, root }: Repository, { commit }: EmptyBase): Promise<readonly string[]> {
  const pattern = '^["\']?octavo["\']?[[:space:]]*:';
  const search = ['grep', '-l', '-z', '-E', pattern, commit, '--', '*.yaml', '*.yml'];
  const { stdout } = await git.attempt(root, search);
  const files = String(stdout)
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.slice(name.indexOf(':') + 1));
  const gone: string[] = [];
  for (const file of files)
    if ((await disk.type(path.join(root, file))) === 'missing') gone.push(path.posix.dirname(file));
  return gone;
}

function shallowest(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)];
  return all.filter(
    (folder) => !all.some((other) => other !== folder && (other === '.' || folder.startsWith(`${other}/`))),
  );
}

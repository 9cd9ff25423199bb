/**
 * Compares the loaded manifests with a commit. Ignores git's index and filters: a file that a sparse checkout omits, or that git assumes
 * unchanged, is compared like any other.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { findManifestPaths, isManifestName } from '../../manifest/files/find.ts';
import { gitFiles } from '../../manifest/files/git-files.ts';
import type { Repository } from '../../manifest/files/repository.ts';
import type { Workspace } from '../../manifest/load-workspace.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { startOf } from '../../yaml/problems.ts';
import type { ManifestSource } from '../workspace.ts';
import { manifestPaths } from './repository.ts';

type ReadFiles = ReadonlyMap<string, string>;

export interface FileDifference {
  readonly file: string;
  /** Predicate of a sentence about `file`. */
  readonly how: string;
}

export async function differencesFrom(
  repository: Repository,
  commit: string,
  { source, read }: { readonly source: ManifestSource; readonly read: ReadFiles },
): Promise<readonly FileDifference[]> {
  const paths = manifestPaths(source);
  const files = await gitFiles(repository, { treeish: commit, paths });
  const found: FileDifference[] = [];
  const name = nameIn(repository);
  for (const [file, text] of read) {
    await files.type(file);
    const oid = files.blobs.get(name(file));
    if (oid === undefined) {
      const module = [...files.submodules.keys()].find((one) => name(file).startsWith(`${one}/`));
      const how = module === undefined ? 'is not in it' : `is in the submodule ${module}`;
      found.push({ file: name(file), how });
    } else if (!isBlobOf(text, oid)) found.push({ file: name(file), how: 'differs there' });
  }
  for (const file of await findManifestPaths(files, paths))
    if (!read.has(file)) found.push({ file: name(file), how: 'is not in the work tree' });
  return found.sort((left, right) => (left.file < right.file ? -1 : 1));
}

/** Git may have converted line endings in the work tree, and a byte-order mark is not part of a text. */
function isBlobOf(text: string, oid: string): boolean {
  const plain = text.replaceAll('\r\n', '\n');
  return [text, plain, `\uFEFF${text}`, `\uFEFF${plain}`].some((one) => blobId(one, oid.length) === oid);
}

function blobId(text: string, length: number): string {
  const bytes = Buffer.from(text);
  return createHash(length === 40 ? 'sha1' : 'sha256')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}

/**
 * Throws a DiagnosticError for manifests that are in git but missing from the work tree, because their objects would look deleted. With a
 * base, also for manifests that git cannot contain: the base would look as if it had never declared them.
 */
export async function requireSameView(
  repository: Repository,
  source: ManifestSource,
  { read, base }: { readonly read: ReadFiles; readonly base: 'some' | 'none' },
): Promise<void> {
  const name = nameIn(repository);
  const names = new Set([...read.keys()].map(name));
  const paths = manifestPaths(source).map(name);
  const outside = paths.some((one) => one.split('/')[0] === '..');
  if (outside) return;
  for (const { tag, mode, file } of await repository.tracked(paths.includes('') ? [] : paths)) {
    const inside = () => [...names].find((one) => one === file || one.startsWith(`${file}/`));
    if (mode === '160000' && base === 'some') refuseSubmodule(file, inside());
    else if (mode === '120000' && base === 'some') refuseLink(file, inside());
    else if (tag !== 'H' && !names.has(file) && isManifestIn(paths, file)) refuseLeftOut(file, tag);
  }
}

function refuseSubmodule(file: string, manifest: string | undefined): void {
  if (manifest === undefined) return;
  throw userError(
    'base',
    `${manifest} is in the submodule ${file}, and no commit of this repository holds it: a base cannot be compared with it`,
    `run Octavo for ${file} by itself (-f ${file}), and leave it out here; or plan without a base: --base none`,
  );
}

function refuseLink(file: string, manifest: string | undefined): void {
  if (manifest === undefined) return;
  throw userError(
    'base',
    `${manifest} is read through the link ${file}: git keeps the link and not the manifest, so a base cannot be compared with it`,
    'name the real folder or file with -f, or replace the link; or plan without a base: --base none',
  );
}

function refuseLeftOut(file: string, tag: string): void {
  const isSparse = /s/i.test(tag);
  throw userError(
    'base',
    `${file} is in git, but ${isSparse ? 'left out of' : 'missing in'} the work tree: its objects would look deleted`,
    isSparse
      ? `check it out (git sparse-checkout add ${path.posix.dirname(file)}, or git update-index --no-skip-worktree ${file}), or name the folders that are there with -f`
      : `restore it, or commit its deletion: git update-index --no-assume-unchanged ${file}`,
  );
}

function isManifestIn(paths: readonly string[], file: string): boolean {
  if (!isManifestName(path.posix.basename(file))) return false;
  return paths.some((one) => {
    const inside = one === '' ? file : path.posix.relative(one, file);
    const folders = inside.split('/').slice(0, -1);
    return !folders.some((folder) => folder.startsWith('.') || folder === 'node_modules');
  });
}

function nameIn({ root }: Repository): (file: string) => string {
  return (file) => path.relative(root, file).split(path.sep).join('/');
}

/**
 * Refuses a manifest whose text differs on the other side (git filters, truncated files): its objects would look deleted, or as if the
 * base had never declared them.
 * @throws DiagnosticError. `where`: for example `the base main`.
 */
export function refuseOtherText(own: Workspace, base: Workspace, where: string): void {
  const lost = otherIn(own, base).map((file) => ({
    file,
    message: `${file} is a manifest in ${where}, but not here: its objects would look deleted`,
    suggestion: 'restore the file; or delete it, if its objects are to be deleted',
  }));
  const strange = otherIn(base, own)
    .filter((file) => isUnlike(base.sources.get(file) ?? '', own.sources.get(file) ?? ''))
    .map((file) => ({
      file,
      message: `${file} is other text in ${where} and cannot be compared: does a git filter or an encoding change it?`,
      suggestion: 'keep it in git as it is; if it was not a manifest before, give the manifest another name',
    }));
  const problems = [...lost, ...strange].map(
    ({ file, ...rest }) => ({ severity: 'error', code: 'base', at: startOf(file), ...rest }) as const,
  );
  if (problems.length > 0) throw new DiagnosticError(problems, own.sources);
}

function otherIn({ otherFiles = new Set() }: Workspace, { files, otherFiles: others }: Workspace) {
  return files.filter((file) => otherFiles.has(file) && others?.has(file) !== true);
}

/** A manifest that only lacked its `octavo` key shares other keys with the new text; a file without content declares nothing. */
function isUnlike(was: string, is: string): boolean {
  const keysOf = (text: string) => [...text.matchAll(/^["']?([\w$-]+)["']?\s*:/gm)].map(([, key]) => key);
  const keys = new Set(keysOf(is));
  return /^\s*[^\s#]/m.test(was) && !keysOf(was).some((key) => keys.has(key));
}

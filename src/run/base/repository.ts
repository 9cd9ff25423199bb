/** The git repository of the manifests: where it is, which commit is checked out, and which of its paths are manifests. */
import path from 'node:path';
import { disk } from '../../manifest/disk.ts';
import { Git } from '../../manifest/git.ts';
import { userError } from '../../util/user-error.ts';
import type { ManifestSource } from '../workspace.ts';

/** A repository that contains manifests. */
export interface Repository {
  readonly git: Git;
  /** Its root folder. */
  readonly root: string;
}

/** The repository of the manifests, which need not be that of the working folder; undefined where there is none. */
export async function findRepository(source: ManifestSource): Promise<Repository | undefined> {
  const git = new Git(source.env);
  const root = await git.repositoryOf(await folderOf(source));
  return root === undefined ? undefined : { git, root };
}

/** The repository of the manifests. Throws a DiagnosticError where there is none. */
export async function repositoryFor(source: ManifestSource): Promise<Repository> {
  const repository = await findRepository(source);
  if (repository !== undefined) return repository;
  throw userError(
    'base',
    `${await folderOf(source)} is not in a git repository, so no base can be read from it`,
    'name a folder that holds the manifests as they were: --base path/to/folder',
  );
}

/** Absolute paths of the files and folders that are read as manifests. */
export function manifestPaths({ cwd, files, overlays, overlayFiles }: ManifestSource): readonly string[] {
  const given = files.length === 0 ? ['.'] : files;
  // Names of overlays are no paths; their files are under the others.
  const paths = overlays.filter((one) => overlayFiles === undefined || isPathOf(one, overlayFiles));
  return [...given, ...paths].map((file) => path.resolve(cwd, file));
}

/** Git's patterns for the manifests under those paths, and for these files beside them. */
export function manifestPatterns(paths: readonly string[], files: Iterable<string>): readonly string[] {
  const inside = paths.flatMap((file) =>
    /\.ya?ml$/i.test(file)
      ? [`:(literal)${file}`]
      : ['yaml', 'yml'].map((ending) => `:(glob,icase)${escapeGlob(file)}/**/*.${ending}`),
  );
  return [...inside, ...[...files].map((file) => `:(literal)${file}`)];
}

function escapeGlob(file: string): string {
  return file.replace(/[[\]*?\\]/g, '\\$&');
}

/** Which files count as manifests when it is asked whether they are committed. */
export interface ManifestFilesOf {
  /** Names of all files that were read; where they are not known, every file beside the manifests may be included. */
  readonly read?: Iterable<string> | undefined;
  /** Files beside the manifests that are none, such as saved plans. */
  readonly otherFiles?: readonly string[];
}

/** The first difference between the manifests and HEAD, as a path; undefined where they are committed. */
export async function firstUncommitted(
  source: ManifestSource,
  git: Git,
  { read, otherFiles = [] }: ManifestFilesOf,
): Promise<string | undefined> {
  const { cwd } = source;
  const paths = manifestPaths(source);
  const files = [...(read ?? [])].map((file) => path.resolve(cwd, file));
  const others = otherFiles
    .map((file) => path.relative(cwd, path.resolve(cwd, file)))
    .filter((file) => file.split(path.sep)[0] !== '..' && !path.isAbsolute(file))
    .map((file) => `:(exclude,literal)${file}`);
  const patterns = read === undefined ? paths : manifestPatterns(paths, files);
  const command = ['status', '--porcelain', '--untracked-files=all', '--ignored=matching', '--'];
  const lines = await git.lines(cwd, [...command, ...patterns, ...others]);
  // Ignored files count where they are manifests: no commit has them.
  const [first] = lines.filter((line) => !line.startsWith('!!') || /\.ya?ml"?$/i.test(line));
  return first?.slice(3);
}

async function folderOf({ cwd, files }: ManifestSource): Promise<string> {
  const [first = '.'] = files;
  const given = path.resolve(cwd, first);
  return (await disk.type(given)) === 'folder' ? given : path.dirname(given);
}

function isPathOf(given: string, overlayFiles: ReadonlyMap<string, string>): boolean {
  return ![...overlayFiles.values()].includes(given);
}

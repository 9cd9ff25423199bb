import path from 'node:path';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { append } from '../../util/lists.ts';
import { userError } from '../../util/user-error.ts';
import { Problems, startOf } from '../../yaml/problems.ts';
import type { ManifestFiles } from './disk.ts';
import { refuseHalfWritten } from './half-written.ts';
import { displayName, isMisnamed, isOutside, slashHelp } from './paths.ts';
import { readUtf8, reasonOf } from './read-text.ts';

export interface ManifestFile {
  /** Path relative to the working folder if inside. */
  readonly name: string;
  readonly path: string;
  /** `${file:…}` must not refer to files outside this folder. */
  readonly root: string;
  readonly text: string;
  /** True if the path was passed itself, not found in a folder. */
  readonly named: boolean;
  readonly given: number;
}

export const isManifestName = (name: string) =>
  /\.ya?ml$/i.test(name) && !/^octavo\.(?:config|rules)\.ya?ml$/i.test(name);

/** Finds a file in the same folder whose name is probably a slip, such as `octavo.rules.yml`. It would be ignored. */
export async function misnamedFile(files: ManifestFiles, file: string): Promise<string | undefined> {
  const name = path.basename(file);
  const listed = await files.list(path.dirname(file)).catch(() => []);
  return listed.find((entry) => isMisnamed(entry.name, name))?.name;
}

export interface FindOptions {
  readonly paths: readonly string[];
  /** Suffix for messages: ` given with -f`; empty for positional arguments. */
  readonly how: string;
  readonly cwd: string;
  readonly files: ManifestFiles;
  readonly problems: Problems;
  /** Manifests of a base can no longer be changed. */
  readonly isBase?: boolean;
}

interface FoundPath {
  readonly root: string;
  readonly named: boolean;
  readonly given: number;
}

const readers = 64;

/**
 * Reports unreadable files as problems, not exceptions.
 * @throws DiagnosticError if a command was interrupted between two of the files.
 */
export async function findManifests(options: FindOptions): Promise<readonly ManifestFile[]> {
  const found = new Map<string, FoundPath>();
  for (const given of options.paths.keys()) await findUnder(given, options, found);
  const open = [...found];
  const read: ManifestFile[] = [];
  const reader = async (): Promise<void> => {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const file = await readManifest(next[0], next[1], options);
      if (file !== undefined) read.push(file);
    }
  };
  await Promise.all(Array.from({ length: readers }, reader));
  return read.sort((left, right) => (left.name < right.name ? -1 : 1));
}

async function findUnder(given: number, options: FindOptions, found: Map<string, FoundPath>): Promise<void> {
  const { paths, cwd, files, how, problems } = options;
  const absolute = path.resolve(cwd, paths[given] ?? '');
  const type = await files.type(absolute);
  if (type === 'folder') {
    for (const file of await walk(absolute, options)) {
      if (!found.has(file)) found.set(file, { root: absolute, named: false, given });
    }
  } else if (type === 'file') {
    if (options.isBase !== true) await refuseHalfWritten(path.dirname(absolute), files, cwd);
    const root = isOutside(cwd, absolute) ? path.dirname(absolute) : cwd;
    found.set(absolute, { root, named: true, given: found.get(absolute)?.given ?? given });
  } else {
    const reason = type === 'missing' ? 'no such file or folder' : 'not a regular file or folder';
    problems.error('not-found', `${displayName(absolute, cwd)}: ${reason}`, undefined, {
      suggestion: slashHelp(paths[given] ?? '') ?? `check the path${how}`,
    });
  }
}

export async function findManifestPaths(
  files: ManifestFiles,
  paths: readonly string[],
): Promise<readonly string[]> {
  const found = new Map<string, FoundPath>();
  const present: string[] = [];
  for (const one of paths) if ((await files.type(one)) !== 'missing') present.push(one);
  const options = { paths: present, how: '', cwd: '/', files, problems: new Problems(), isBase: true };
  for (const given of present.keys()) await findUnder(given, options, found);
  return [...found.keys()];
}

async function readManifest(
  file: string,
  found: FoundPath,
  { cwd, files, problems }: FindOptions,
): Promise<ManifestFile | undefined> {
  const name = displayName(file, cwd);
  const text = await readUtf8(file, name, files);
  if (typeof text === 'string') return { ...found, name, path: file, text };
  const { code, message, suggestion, line, column } = text;
  const at = { file: name, line, column, endLine: line, endColumn: column + 1 };
  return problems.error(code, message, at, { suggestion });
}

/**
 * Skips hidden folders, node_modules, folders already visited, and links to folders outside, so that all parts of a
 * workspace are visible in it.
 */
async function walk(root: string, options: FindOptions): Promise<readonly string[]> {
  const { files, problems, cwd } = options;
  const seen = new Set<string>();
  const found: string[] = [];
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    try {
      const real = await files.real(folder);
      if (seen.has(real)) continue;
      const [first] = seen;
      seen.add(real);
      refuseTooMany(root, seen.size, options);
      if (first !== undefined && isOutside(first, real)) {
        const message = `skipped: ${displayName(folder, cwd)} links to a folder outside`;
        problems.hint('link-outside', message, undefined, {
          suggestion: `pass -f ${real} to read its manifests`,
        });
        continue;
      }
      const inside = await listFolder(folder, files);
      if (options.isBase !== true) {
        await refuseHalfWritten(folder, files, cwd);
        if (inside.isLikeRepository) refuseRepository(folder, options);
        if (inside.manifests.length > 0) for (const file of inside.json) await hintAtJson(file, options);
      }
      append(open, inside.folders);
      append(found, inside.manifests);
    } catch (error) {
      if (error instanceof DiagnosticError) throw error;
      const message = `${displayName(folder, cwd)} cannot be read: ${reasonOf(error)}`;
      problems.error('unreadable', message, undefined, { suggestion: 'check its permissions' });
    }
  }
  return found;
}

/** A folder with more, such as `/`, would be searched for minutes. */
const mostFolders = 20_000;

function refuseTooMany(root: string, count: number, { isBase }: FindOptions): void {
  if (count <= mostFolders || isBase === true) return;
  throw userError(
    'too-many-folders',
    `${root} contains more than ${mostFolders} folders`,
    'pass -f with the folder of the manifests, or set file: in octavo.config.yaml',
  );
}

/** Limit in bytes; larger files are data. */
const maxJsonManifest = 65_536;

/** Hints at JSON manifests: JSON is valid YAML, but its name does not mark a manifest. */
async function hintAtJson(file: string, { files, problems, cwd }: FindOptions): Promise<void> {
  const name = displayName(file, cwd);
  const text = (await files.size(file)) > maxJsonManifest ? '' : await readUtf8(file, name, files);
  if (typeof text !== 'string' || !/^\s*\{(?:.*[{,])?\s*"octavo"\s*:/s.test(text)) return;
  problems.hint('not-a-manifest', 'skipped: the name of a manifest ends in .yaml or .yml', startOf(name), {
    suggestion: `rename it to ${path.basename(name, path.extname(name))}.yaml: JSON is YAML`,
  });
}

/** Git treats such a folder as a repository and runs programs named in its `config`. */
function refuseRepository(folder: string, { problems, cwd }: FindOptions): void {
  const name = displayName(folder, cwd);
  problems.error(
    'repository-in-manifests',
    `${name} looks like a git repository: it has HEAD, objects and refs`,
    undefined,
    {
      suggestion: `remove HEAD, objects, refs and config there: git would run the programs that such a config names`,
    },
  );
}

async function listFolder(folder: string, files: ManifestFiles) {
  const entries = (await files.list(folder)).filter(({ name }) => !name.startsWith('.'));
  const full = (type: 'file' | 'folder', isWanted: (name: string) => boolean) =>
    entries
      .filter((entry) => entry.type === type && isWanted(entry.name))
      .map(({ name }) => name)
      .sort((left, right) => (left < right ? -1 : 1))
      .map((name) => path.join(folder, name));
  const has = (name: string, type: string) =>
    entries.some((entry) => entry.name === name && entry.type === type);
  return {
    isLikeRepository: has('HEAD', 'file') && has('objects', 'folder') && has('refs', 'folder'),
    folders: full('folder', (name) => name !== 'node_modules'),
    manifests: full('file', isManifestName),
    json: full('file', (name) => name.endsWith('.json')),
  };
}

/** Finds manifest files and reads their text: files as named, folders recursively, in a fixed order. */
import path from 'node:path';
import type { ManifestFiles } from './disk.ts';
import { type Problems, startOf } from './problems.ts';

/** A file that was read. */
export interface ManifestFile {
  /** The path as people see it: relative to the working folder where it lies inside. */
  readonly name: string;
  /** The absolute path. */
  readonly path: string;
  /** The folder that the file's own `${file:…}` may not leave. */
  readonly root: string;
  readonly text: string;
  /** True when the file was named itself, not found in a folder. */
  readonly named: boolean;
}

/** Larger files are no manifests. */
const maxFileBytes = 5 * 1024 * 1024;

const isManifestName = (name: string) => /\.ya?ml$/i.test(name) && !/^octavo\.config\.ya?ml$/i.test(name);

/** How a path is shown: relative to the working folder where that is shorter. */
export function displayName(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative === '' ? '.' : relative.startsWith('..') ? file : relative.split(path.sep).join('/');
}

/** Reads all manifests under the given paths. What cannot be read is a problem, not an exception. */
export async function findManifests(
  paths: readonly string[],
  cwd: string,
  files: ManifestFiles,
  problems: Problems,
): Promise<readonly ManifestFile[]> {
  const found = new Map<string, { root: string; named: boolean }>();
  for (const given of paths) {
    const absolute = path.resolve(cwd, given);
    const type = await files.type(absolute);
    if (type === 'folder') {
      for (const file of await walk(absolute, files, problems, cwd)) {
        if (!found.has(file)) found.set(file, { root: absolute, named: false });
      }
    } else if (type === 'file') {
      const inside = !path.relative(cwd, absolute).startsWith('..');
      found.set(absolute, { root: inside ? cwd : path.dirname(absolute), named: true });
    } else {
      const what =
        type === 'missing' ? 'there is no such file or folder' : 'this is neither a file nor a folder';
      problems.error(
        'not-found',
        `${displayName(absolute, cwd)}: ${what}`,
        startOf(displayName(absolute, cwd)),
        {
          suggestion: 'check the path given with -f',
        },
      );
    }
  }
  const read = await Promise.all(
    [...found].map(async ([file, { root, named }]): Promise<ManifestFile | undefined> => {
      const name = displayName(file, cwd);
      const text = await readText(file, name, files, problems);
      return text === undefined ? undefined : { name, path: file, root, text, named };
    }),
  );
  return read.filter((file) => file !== undefined).sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Manifest files in a folder, recursively; hidden folders, node_modules and folders met before are passed over. */
async function walk(
  root: string,
  files: ManifestFiles,
  problems: Problems,
  cwd: string,
): Promise<readonly string[]> {
  const seen = new Set<string>();
  const found: string[] = [];
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    try {
      const real = await files.real(folder);
      if (seen.has(real)) continue;
      seen.add(real);
      for (const { name, type } of await files.list(folder)) {
        const full = path.join(folder, name);
        if (type === 'folder' && !name.startsWith('.') && name !== 'node_modules') open.push(full);
        else if (type === 'file' && !name.startsWith('.') && isManifestName(name)) found.push(full);
      }
    } catch (error) {
      const name = displayName(folder, cwd);
      problems.error('unreadable', `${name} cannot be read: ${reasonOf(error)}`, startOf(name));
    }
  }
  return found;
}

/** The text of a file, or a problem. */
export async function readText(
  file: string,
  name: string,
  files: ManifestFiles,
  problems: Problems,
): Promise<string | undefined> {
  try {
    const size = await files.size(file);
    if (size > maxFileBytes) {
      problems.error(
        'file-too-large',
        `${name} is ${Math.round(size / 1048576)} MiB; manifests are at most 5 MiB`,
        startOf(name),
        {
          suggestion: 'split it into several files, or leave it out of the folder',
        },
      );
      return undefined;
    }
    const bytes = await files.read(file);
    if (bytes.includes(0)) {
      problems.error('not-text', `${name} is not a text file`, startOf(name), {
        suggestion: 'manifests are YAML in UTF-8; leave other files out of the folder, or rename them',
      });
      return undefined;
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const invalid = error instanceof TypeError;
    problems.error(
      invalid ? 'not-utf8' : 'unreadable',
      invalid ? `${name} is not valid UTF-8` : `${name} cannot be read: ${reasonOf(error)}`,
      startOf(name),
      { suggestion: invalid ? 'save the file as UTF-8' : 'check the file and its permissions' },
    );
    return undefined;
  }
}

/** Why the system refused, in its own short words. */
function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
    ELOOP: 'its links go round in a circle',
  };
  if (typeof code === 'string') return words[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}

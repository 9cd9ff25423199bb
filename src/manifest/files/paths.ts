import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

export function isOutside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** Resolves links, also for a file that does not exist yet. */
export function ownPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(ownPath(folder), path.basename(file));
  }
}

/** The nearest folder, from this one upwards, that has an entry of one of the names. */
export function nearestWith(folder: string, names: readonly string[]): string | undefined {
  if (names.some((name) => existsSync(path.join(folder, name)))) return folder;
  const above = path.dirname(folder);
  return above === folder ? undefined : nearestWith(above, names);
}

/** Path relative to the working folder if inside, with slashes. */
export function displayName(file: string, cwd: string): string {
  // The common case, without the cost of two relative paths.
  if (file.startsWith(`${cwd}/`) && !/\/[./]|\\/.test(file)) return file.slice(cwd.length + 1);
  if (isOutside(cwd, file)) return file;
  const relative = path.relative(cwd, file);
  return relative === '' ? '.' : relative.split(path.sep).join('/');
}

/** Help for a path as Windows writes it, which names no file elsewhere. */
export function slashHelp(given: string): string | undefined {
  return path.sep === '/' && given.includes('\\')
    ? `write it with forward slashes: ${given.replaceAll('\\', '/')}`
    : undefined;
}

/** Folder of a draft, next to its file. */
export const draftPrefix = '.octavo-draft-';

/** Each draft folder contains the whole group. */
export const groupIn = (folder: string) => path.join(folder, 'group.json');

/** True for a file of `octavo test`, which is not a manifest. */
export const isTestName = (name: string) => /\.test\.ya?ml$/i.test(name);

/** Name of the file, which is in the root of a repository. */
export const rulesFile = 'octavo.rules.yaml';

/** True for slips such as `octavo.rules.yml` for `octavo.rules.yaml`, which would be ignored. */
export function isMisnamed(given: string, name: string): boolean {
  return given !== name && given.toLowerCase().replace(/\.(?:yml|json)$/, '.yaml') === name;
}

/** Permits names that YAML reads as text and that are a single word on a command line. */
export const overlayNamePattern = /^[A-Za-z][A-Za-z0-9_.-]*$/;

/** Key that marks an object that exists only with an overlay. */
export const newKey = 'new';

/** Keys of an object that a template creates. */
export const useKeys = ['use', 'with', 'each'] as const;

export const templatesKey = 'templates';

export const addKey = 'add';

/** The key of an entry's last day. */
export const untilKey = 'until';

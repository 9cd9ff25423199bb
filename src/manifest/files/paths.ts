import path from 'node:path';

export function leaves(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** Relative to the working folder if inside, with slashes. */
export function displayName(file: string, cwd: string): string {
  if (leaves(cwd, file)) return file;
  const relative = path.relative(cwd, file);
  return relative === '' ? '.' : relative.split(path.sep).join('/');
}

/** A file of octavo test, which is no manifest. */
export const isTestName = (name: string) => /\.test\.ya?ml$/i.test(name);

/** At the root of a repository. */
export const rulesFile = 'octavo.rules.yaml';

/** `octavo.rules.yml` for `octavo.rules.yaml`: nothing would read it. */
export function isMisnamed(given: string, name: string): boolean {
  return given !== name && given.toLowerCase().replace(/\.(?:yml|json)$/, '.yaml') === name;
}

/** Text in YAML and a single word on a command line. */
export const overlayNamePattern = /^[A-Za-z][A-Za-z0-9_.-]*$/;

/** The key of an overlay's entry that no manifest has. */
export const newKey = 'new';

/** The keys of an object that a template makes. */
export const useKeys = ['use', 'with', 'each'] as const;

/** A document with templates. */
export const templatesKey = 'templates';

/** Of a list that only adds. */
export const addKey = 'add';

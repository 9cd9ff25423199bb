/** Paths: whether one is inside another, and how messages show them. */
import path from 'node:path';

/** True when a path is outside a folder, by its name alone. Both are absolute. */
export function leaves(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** The path relative to the working folder where it is inside, else unchanged; with slashes. */
export function displayName(file: string, cwd: string): string {
  if (leaves(cwd, file)) return file;
  const relative = path.relative(cwd, file);
  return relative === '' ? '.' : relative.split(path.sep).join('/');
}

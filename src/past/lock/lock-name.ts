/** Names of locks in flags and settings: `local`, `git:origin`, `none`. Loads no lock. */

export const lockNames = 'local, git:<remote> or none';

export function isLockName(name: string): boolean {
  return name === 'local' || name === 'none' || lockRemote(name) !== undefined;
}

/** The remote of `git:<remote>`. */
export function lockRemote(name: string): string | undefined {
  return /^git:([^-].*)$/s.exec(name)?.[1];
}

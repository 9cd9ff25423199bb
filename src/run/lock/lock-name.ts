/** How locks are named in flags and settings: `file`, `git:origin`, `none`. Loads no backend. */

/** What follows the colon, by backend; undefined where nothing does. */
const rests = { file: undefined, git: 'remote', none: undefined } as const;

/** The name of a backend. */
export type LockBackendName = keyof typeof rests;

/** How locks are written, for help. */
export const lockNames = 'file, git:<remote> or none';

/** The backend, and what follows the colon; undefined for what names no lock. */
export function parseLockName(
  name: string,
): { readonly backend: LockBackendName; readonly rest: string } | undefined {
  const [, backend = '', colon, rest = ''] = /^([a-z]+)(:)?(.*)$/s.exec(name) ?? [];
  if (!isBackend(backend)) return undefined;
  const isComplete =
    rests[backend] === undefined ? colon === undefined && rest === '' : rest !== '' && !rest.startsWith('-');
  return isComplete ? { backend, rest } : undefined;
}

function isBackend(name: string): name is LockBackendName {
  return Object.hasOwn(rests, name);
}

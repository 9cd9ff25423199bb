/** Names of locks in flags and settings: `file`, `git:origin`, `none`. Loads no backend. */

const rests = { file: undefined, git: 'remote', none: undefined } as const;

export type LockBackendName = keyof typeof rests;

export const lockNames = 'file, git:<remote> or none';

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

/** The folder of file locks: in the user's state, so that all clones on a machine share it. */
import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs';
import { homedir, platform, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { systemReason, userError } from '../../util/user-error.ts';

type FolderEnv = Readonly<Record<string, string | undefined>>;

/**
 * Creates the folder: `$XDG_STATE_HOME/octavo/locks`, or the system's place for state; without a writable home, a
 * folder of the user's own among the temporary ones.
 *
 * @throws DiagnosticError if none of them can be used.
 */
export function lockFolder(env: FolderEnv): string {
  const given = env.XDG_STATE_HOME;
  // By the XDG rules a relative path counts as not set.
  if (given !== undefined && path.isAbsolute(given)) return made(path.join(given, 'octavo', 'locks'));
  const home = stateHome(env);
  if (home !== undefined) {
    try {
      const folder = path.join(home, 'octavo', 'locks');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      accessSync(folder, constants.W_OK);
      return folder;
    } catch {
      // No writable home, as in containers.
    }
  }
  return ownTemporaryFolder();
}

function stateHome(env: FolderEnv): string | undefined {
  const home = env.HOME ?? env.USERPROFILE ?? homeOf();
  if (platform() === 'win32') return env.LOCALAPPDATA ?? home;
  if (home === undefined || !path.isAbsolute(home)) return undefined;
  return platform() === 'darwin'
    ? path.join(home, 'Library', 'Application Support')
    : path.join(home, '.local', 'state');
}

function homeOf(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** Anyone can create folders there, so one that belongs to another user is rejected. */
function ownTemporaryFolder(): string {
  const { uid } = userInfo();
  const folder = made(path.join(tmpdir(), uid < 0 ? 'octavo-locks' : `octavo-locks-${uid}`));
  const found = lstatSync(folder);
  if (found.isDirectory() && (uid < 0 || (found.uid === uid && (found.mode & 0o022) === 0))) return folder;
  throw userError(
    'lock',
    `${folder} belongs to another user`,
    'set XDG_STATE_HOME to a folder of your own, or pass --lock none',
  );
}

function made(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    throw userError(
      'lock',
      `cannot create the folder for locks ${folder}: ${systemReason(error) ?? String(error)}`,
      'set XDG_STATE_HOME to a folder that can be written to, or pass --lock none',
    );
  }
}

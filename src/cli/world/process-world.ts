/**
 * The world of a command that runs in its own process. Apart from the entry file, only this module of the command line touches
 * `process`.
 */
import { hostname, userInfo } from 'node:os';
import { systemClock } from '../../client/system-clock.ts';
import type { OpenRepository } from '../../manifest/files/repository.ts';
import type { Machine, World } from './world.ts';

export const thisMachine: Machine = {
  pid: process.pid,
  node: process.version,
  get host() {
    return hostname();
  },
  get user() {
    try {
      return userInfo().username;
    } catch {
      // A user id without a name, as in containers.
      return String(process.getuid?.() ?? '');
    }
  },
  isRunning: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ESRCH';
    }
  },
};

/** Commands without git do not load it. */
export function gitWith(env: World['env']): OpenRepository {
  return async (...place) => {
    const { openRepositoryWith } = await import('../../manifest/files/git-repository.ts');
    return openRepositoryWith(env)(...place);
  };
}

export function processWorld(): World {
  return {
    env: process.env,
    cwd: process.cwd(),
    // Node opens a stream on first access.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    clock: systemClock,
    folder: async () => (await import('../../manifest/files/work-folder.ts')).workFolder,
    journals: async (cwd) => new (await import('../../past/journal/journal-folder.ts')).JournalFolder(cwd),
    machine: thisMachine,
    openRepository: gitWith(process.env),
    exit: (code) => process.exit(code),
    onSignal: (listener) => {
      process.on('SIGINT', listener).on('SIGTERM', listener);
      return () => void process.off('SIGINT', listener).off('SIGTERM', listener);
    },
    onStrayError: (listener) => {
      process.on('uncaughtException', listener).on('unhandledRejection', listener);
      return () => void process.off('uncaughtException', listener).off('unhandledRejection', listener);
    },
  };
}

/**
 * The world of a command that runs in its own process: apart from the file that starts it, the only one of the command line that
 * touches `process`.
 */
import { hostname, userInfo } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Clock } from '../../client/pacing.ts';
import { defined } from '../../util/defined.ts';
import type { Machine, World } from './world.ts';

const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, defined({ signal })).catch(() => undefined);
  },
};

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
    machine: thisMachine,
    saveMemory,
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

/** Percent by which the heap may grow between two full collections. By default V8 lets it grow to four times its size. */
const heapGrowth = 75;
/** Node.js versions, from and to, whose V8 is known to have the flags; others would print an error. */
const knownVersions = [20, 24] as const;

/** V8 reads the flag whenever a collection ends, so it works in a running process. */
function saveMemory(): void {
  setEngineFlag(`--heap-growing-percent=${heapGrowth}`);
}

/**
 * Delays the optimization of WebAssembly, with which undici parses HTTP, until a run has received very much. Otherwise V8 starts
 * it after a few responses, and a short run has to wait for it at its end. Call this before the first request.
 */
export function putOffOptimizing(): void {
  setEngineFlag('--wasm-tiering-budget=1000000000');
}

function setEngineFlag(flag: string): void {
  const major = Number(process.versions.node.split('.')[0]);
  const [from, to] = knownVersions;
  if (major >= from && major <= to) setFlagsFromString(flag);
}

/** The world of a command that runs as a process of its own: beside the one that starts it, the only file of the command line that touches `process`. */
import { hostname, userInfo } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Clock } from '../client/pacing.ts';
import { defined } from '../util/defined.ts';
import type { Machine, World } from './world.ts';

/** The machine's own time and chance. */
const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, defined({ signal })).catch(() => undefined);
  },
};

/** This machine. */
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

/** This process, as the world of a command. */
export function processWorld(): World {
  return {
    env: process.env,
    cwd: process.cwd(),
    // Node opens a stream when it is first asked for.
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

/** Per cent by which the heap may grow between two full collections. By default V8 lets it grow to four times its size. */
const heapGrowth = 75;
/** Versions of Node.js, from and to, whose V8 is known to know the flags; others would complain. */
const knownVersions = [20, 24] as const;

/** The flag is looked at whenever a collection ends, so it works in a process that runs already. */
function saveMemory(): void {
  setEngineFlag(`--heap-growing-percent=${heapGrowth}`);
}

/**
 * Puts off optimizing WebAssembly, which undici parses HTTP with, until a run has received very much. Otherwise V8 begins with
 * it after a few responses, and a short run has to wait at its end until that is done. Call it before the first request.
 */
export function putOffOptimizing(): void {
  setEngineFlag('--wasm-tiering-budget=1000000000');
}

function setEngineFlag(flag: string): void {
  const major = Number(process.versions.node.split('.')[0]);
  const [from, to] = knownVersions;
  if (major >= from && major <= to) setFlagsFromString(flag);
}

/** The words after the command's name. */
export function processArgs(): readonly string[] {
  return process.argv.slice(2);
}

/** Sets what the process ends with once nothing is left to do. */
export function setExitCode(code: number): void {
  process.exitCode = code;
}

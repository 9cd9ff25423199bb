/** Flags that several commands take together. */
import type { Flags } from './flags.ts';

/** Flags that every command takes. */
export const commonFlags: readonly (keyof Flags)[] = ['color', 'quiet', 'verbose'];

/** Flags that name the manifests. */
export const manifests = ['file', 'overlay'] as const;
/** Flags that say where to write down what a run does. */
export const records = ['reportFile', 'logFile'] as const;
/** Which organizations of the manifests. */
export const organizations = ['shard'] as const;
/** Flags that say where the service is, and how fast to ask it. */
export const service = ['baseUrl', 'tokenFile', 'seed', 'parallelism', 'maxRps'] as const;
/** Flags that decide how much of a plan is shown. */
export const looks = ['full', 'showUnmanaged', 'showUnchanged'] as const;
/** Flags of commands that change the live workspace. */
export const locking = ['lock', 'lockTimeout'] as const;
/** Flags that decide what a plan holds. */
export const planning = [
  'base',
  'allowBehind',
  'offline',
  'ignoreDrift',
  'target',
  'exclude',
  'prune',
  'allowDeletes',
  'skipRefused',
] as const;

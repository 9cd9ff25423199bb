/** Time and chance of the real world, for the layers that are handed them. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../client/pacing.ts';

/** The machine's own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};

import { setTimeout as wait } from 'node:timers/promises';
import { defined } from '../util/defined.ts';
import type { Clock } from './pacing.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, defined({ signal })).catch(() => undefined);
  },
};

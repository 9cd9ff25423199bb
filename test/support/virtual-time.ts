/** Time that passes only when everyone waits for it: minutes take milliseconds. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../src/client/pacing.ts';

/** A clock whose time can be advanced. */
export interface VirtualTime extends Clock {
  /** Lets time pass until the promise settles, and returns its value. */
  readonly until: <Value>(promise: Promise<Value>) => Promise<Value>;
}

/** Starts at an arbitrary date. Random numbers depend on the seed. `turns` of the event loop pass before the time does. */
export function virtualTime(seed = 1, turns = 5): VirtualTime {
  let time = Date.parse('2026-01-01');
  let state = seed;
  const timers: { readonly at: number; readonly ring: () => void }[] = [];
  return {
    now: () => time,
    random: () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    },
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        if (signal !== undefined) setMaxListeners(0, signal);
        const ring = () => {
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const timer = { at: time + Math.max(0, milliseconds), ring };
        const end = () => {
          timers.splice(timers.indexOf(timer), 1);
          resolve();
        };
        const later = timers.findIndex(({ at }) => at > timer.at);
        timers.splice(later < 0 ? timers.length : later, 0, timer);
        signal?.addEventListener('abort', end, { once: true });
      }),
    until: async (promise) => {
      let isEnded = false;
      const end = () => {
        isEnded = true;
      };
      promise.then(end, end);
      for (;;) {
        // A response is read a few turns after its arrival, which takes no time.
        for (let turn = 0; turn < turns; turn += 1) await new Promise((done) => setImmediate(done));
        if (isEnded) return promise;
        const next = timers.shift();
        if (next === undefined) throw new Error('everyone waits, and no time is set');
        time = next.at;
        next.ring();
      }
    },
  };
}

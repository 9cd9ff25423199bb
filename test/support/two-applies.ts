/** Two applies of the same manifests against one service over real sockets, started some time apart. */

import type { Service } from '../../src/server/index.ts';
import { type Ran, type Running, type RunOptions, start } from '../cli/octavo.ts';

/** Options of both applies. */
export interface TwoApplies {
  readonly service: Pick<Service, 'url' | 'token'>;
  /** Their folders: the same one twice, or two clones. */
  readonly folders: readonly [string, string];
  /** Flags in addition to `--auto-approve`, such as `--lock none`. */
  readonly args?: readonly string[];
  /** Time between the two starts. Unit: milliseconds. */
  readonly apart: number;
  readonly env?: RunOptions['env'];
}

/** Waits in real time. */
export const realSleep: NonNullable<RunOptions['sleep']> = (milliseconds, signal) =>
  new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });

/** Runs both to their end. */
export async function twoApplies({ folders, apart, ...apply }: TwoApplies): Promise<readonly [Ran, Ran]> {
  const first = startApply(folders[0], apply);
  await realSleep(apart);
  const second = startApply(folders[1], apply);
  return Promise.all([first.ended, second.ended]);
}

/** Starts one of them. */
export function startApply(
  cwd: string,
  { service, args = [], env = {} }: Pick<TwoApplies, 'service' | 'args' | 'env'>,
): Running {
  return start(['apply', '--auto-approve', ...args], {
    cwd,
    env: { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token, ...env },
    sleep: realSleep,
  });
}

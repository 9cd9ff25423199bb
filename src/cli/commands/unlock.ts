/** `octavo unlock`: lists the locks of applies, and removes those of a run that is gone. Changes nothing else. */

import { safeText } from '../../report/safe-text.ts';
import type { LockOnRecord } from '../../run/lock/lock.ts';
import { countOf } from '../../util/count.ts';
import { userError } from '../../util/user-error.ts';
import { ask } from '../approval.ts';
import type { Invocation } from '../invocation.ts';
import { holderText, lockOf } from '../locking.ts';
import { readSettings } from '../settings.ts';

/** Exit code 0 when the locks were listed or removed, 1 when nothing was removed. */
export async function run(invocation: Invocation): Promise<number> {
  const { argument, output } = invocation;
  const settings = await readSettings(invocation);
  const lock = await lockOf(invocation, settings);
  if (lock === undefined) {
    throw userError(
      'lock',
      'there are no locks to remove: the lock is none',
      'pass --lock file or --lock git:<remote>',
    );
  }
  const locks = await lock.list();
  const where = settings.lock === 'file' ? 'on this machine' : `in ${settings.lock.replace(/^git:/, '')}`;
  if (argument === undefined) {
    output.result(listed(locks, where));
    return 0;
  }
  const own = locks.filter(({ content }) => content.run === argument);
  if (own.length === 0) {
    throw userError('lock', `run ${argument} holds no lock ${where}`, 'octavo unlock lists the locks');
  }
  for (const one of own) output.note(safeText(lockText(one)));
  if (!(await isConfirmed(invocation))) {
    output.error('Not removed.');
    return 1;
  }
  return remove(invocation, own);
}

async function remove({ output }: Invocation, own: readonly LockOnRecord[]): Promise<number> {
  let removed = 0;
  for (const one of own) {
    const place = safeText(placeText(one));
    if (await one.remove()) {
      removed += 1;
      output.result(`Removed the lock on ${place}.\n`);
    } else
      output.error(
        `The lock on ${place} was released meanwhile, or is held by another run now; it was left alone.`,
      );
  }
  return removed === own.length ? 0 : 1;
}

function listed(locks: readonly LockOnRecord[], where: string): string {
  if (locks.length === 0) return `No locks ${where}.\n`;
  const lines = locks.map((one) => {
    const note = one.isAbandoned ? '; its process is gone, so the next apply takes the lock over' : '';
    return `  ${safeText(lockText(one))}${note}`;
  });
  return [`${countOf(locks.length, 'lock')} ${where}:`, ...lines, ''].join('\n');
}

function lockText(lock: LockOnRecord): string {
  return `${placeText(lock)}: held by ${holderText(lock.content)}`;
}

function placeText({ organizations, content: { baseUrl } }: LockOnRecord): string {
  return `${organizations.join(', ')} of ${baseUrl}`;
}

async function isConfirmed({ flags, world, interrupt }: Invocation): Promise<boolean> {
  if (flags.force === true) return true;
  if (world.stdin.isTTY !== true || world.stderr.isTTY !== true) {
    throw userError(
      'not-approved',
      'no terminal to ask on whether to remove the lock',
      'make sure that the run is gone, then pass --force',
    );
  }
  return ask(
    world,
    interrupt,
    'If that run is still going, two runs may write at the same time. Remove its lock? Only "yes" is accepted: ',
  );
}

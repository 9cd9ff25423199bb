import type { LockOnRecord } from '../../past/lock/lock.ts';
import { safeText } from '../../report/text/safe-text.ts';
import { countOf } from '../../util/count.ts';
import { userError } from '../../util/user-error.ts';
import { holderText, lockOf } from '../apply/locking.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, locking, manifests, toggle } from '../line/flags.ts';
import { readSettings } from '../service/settings.ts';
import { ask } from '../world/ask.ts';

const flags = {
  file: manifests.file,
  lock: locking.lock,
  ...flagTable('Other flags', {
    force: toggle('Do not ask before removing the lock'),
  }),
};

type UnlockInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: { name: 'run' },
  flags,
  run,
});

async function run(invocation: UnlockInvocation): Promise<number> {
  const { words, output } = invocation;
  const [named] = words;
  const settings = await readSettings(invocation);
  const lock = await lockOf(invocation, settings);
  if (lock === undefined) {
    throw userError(
      'lock',
      'there are no locks to remove: the lock is none',
      'pass --lock local or --lock git:<remote>',
    );
  }
  const locks = await lock.list();
  const where = `in ${lock.where}`;
  if (named === undefined) {
    output.report(listed(locks, where));
    return 0;
  }
  const own = locks.find(({ content }) => content.run === named);
  if (own === undefined) {
    throw userError('lock', `run ${named} holds no lock ${where}`, 'octavo unlock lists the locks');
  }
  output.note(safeText(lockText(own)));
  if (!(await isConfirmed(invocation))) {
    output.error('Not removed.');
    return 1;
  }
  const place = safeText(placeText(own));
  if (await own.remove()) {
    output.result(`Removed the lock on ${place}.\n`);
    return 0;
  }
  output.error(
    `The lock on ${place} was released in the meantime, or is now held by another run; it was not removed.`,
  );
  return 1;
}

function listed(locks: readonly LockOnRecord[], where: string): string {
  if (locks.length === 0) return `No locks ${where}.\n`;
  const lines = locks.map((one) => {
    const note = one.isAbandoned ? '; its process has ended, so the next apply takes over the lock' : '';
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

async function isConfirmed({ flags, world, interrupt }: UnlockInvocation): Promise<boolean> {
  if (flags.force === true) return true;
  if (world.stdin.isTTY !== true || world.stderr.isTTY !== true) {
    throw userError(
      'not-approved',
      'no terminal to ask on whether to remove the lock',
      'make sure that the run has ended, then pass --force',
    );
  }
  return ask(
    world,
    interrupt,
    'If that run is still running, two runs may write at the same time. Remove its lock? Only "yes" is accepted: ',
  );
}

/** Without git, the journal of a live run is its lock. */
import { expect, onTestFinished, test } from 'vitest';
import type { JournalHeader } from '../../../src/past/journal/entry.ts';
import { JournalFolder } from '../../../src/past/journal/journal-folder.ts';
import { JournalWriter } from '../../../src/past/journal/journal-writer.ts';
import { journalLock } from '../../../src/past/lock/journal-lock.ts';
import { deadHolder, emptyFolder, held, holder, machine, scope } from './holders.ts';

const [first, second] = ['r-a-00000001', 'r-b-00000002'];

function lockIn(folder: JournalFolder, now = new Date()) {
  return journalLock({ store: folder, machine, now: () => now });
}

/** Begins the journal of a run of this process. */
async function begin(
  folder: JournalFolder,
  run: string,
  more: Partial<JournalHeader> = {},
): Promise<JournalWriter> {
  const { host, process } = machine;
  const organizations = [{ label: 'acme', organizationId: 'org_acme', ids: {}, steps: [] }];
  const header = {
    ...{ run, command: 'apply', version: '0.0.0', host, process, service: scope.baseUrl, digest: 'd' },
    ...{ organizations, undo: [], ...more },
  };
  const writer = await JournalWriter.open({ store: folder, now: () => new Date() }, header);
  onTestFinished(async () => void (await writer.end({ outcome: 'complete' })));
  return writer;
}

const request = {
  type: 'request' as const,
  organization: 'acme',
  step: 'teams/t#create',
  call: 0,
  operation: 'teams.create' as const,
  params: {},
};

test('is taken while a journal has no end and its process is running', async () => {
  const folder = new JournalFolder(emptyFolder());
  const lock = lockIn(folder);
  const mine = held(await lock.acquire(scope, holder(first)));
  const writer = await begin(folder, first);
  expect(mine.lost()).toBeUndefined();
  expect(await lock.acquire(scope, holder(second))).toMatchObject({
    type: 'busy',
    organization: 'org_acme',
    holder: { ...scope, run: first, command: 'octavo apply' },
  });
  expect(await lock.list()).toMatchObject([{ organizations: ['org_acme'], content: { run: first } }]);
  await writer.end({ outcome: 'complete' });
  held(await lock.acquire(scope, holder(second)));
  expect(await lock.list()).toEqual([]);
});

test('is separate for each organization and service', async () => {
  const folder = new JournalFolder(emptyFolder());
  const lock = lockIn(folder);
  await begin(folder, first);
  const others = [
    { ...scope, organizations: ['org_other'] },
    { ...scope, baseUrl: 'https://staging.acme.dev' },
  ];
  for (const other of others) {
    const mine = held(await lock.acquire(other, holder(second)));
    expect(mine.lost()).toBeUndefined();
  }
});

test('is free after its process has ended, and after an hour of silence elsewhere', async () => {
  const folder = new JournalFolder(emptyFolder());
  const { process } = deadHolder('');
  await begin(folder, first, { process });
  held(await lockIn(folder).acquire(scope, holder(second)));
  await begin(folder, 'r-a-00000003', { process: { ...process, namespace: 'pid:[1]' } });
  expect(await lockIn(folder).acquire(scope, holder(second))).toMatchObject({ type: 'busy' });
  held(await lockIn(folder, new Date(Date.now() + 3_700_000)).acquire(scope, holder(second)));
});

/** Steps of two runs, in every order; a run looks again after its journal has begun. */
const orders = (function interleaved(a: number, b: number): readonly string[] {
  if (a === 0 && b === 0) return [''];
  const [one, two] = [a > 0 ? interleaved(a - 1, b) : [], b > 0 ? interleaved(a, b - 1) : []];
  return [...one.map((rest) => `a${rest}`), ...two.map((rest) => `b${rest}`)];
})(4, 4);

test.each(orders)('never lets both of two runs go on (%s)', async (order) => {
  const folder = new JournalFolder(emptyFolder());
  const lock = lockIn(folder);
  const gone: string[] = [];
  const steps = (run: string): (() => Promise<unknown>)[] => {
    let isBusy = false;
    let mine: ReturnType<typeof held> | undefined;
    return [
      async () => {
        const attempt = await lock.acquire(scope, holder(run));
        isBusy = attempt.type === 'busy';
        if (attempt.type === 'held') mine = attempt.lock;
      },
      // The file exists before its first line is in it.
      async () => {
        if (isBusy) return;
        await folder.begin(run);
        await folder.end(run);
      },
      async () => {
        if (isBusy) return;
        const other = new JournalFolder(emptyFolder());
        await begin(other, run);
        folder.append(run, other.text(run));
      },
      async () => {
        if (!isBusy && mine?.lost() === undefined) gone.push(run);
      },
    ];
  };
  const [a, b] = [steps(first), steps(second)];
  for (const one of order) await (one === 'a' ? a : b).shift()?.();
  expect(gone.length).toBeLessThanOrEqual(1);
});

test('is lost to a run that began and ended since the plan was made', async () => {
  const folder = new JournalFolder(emptyFolder());
  const mine = held(await lockIn(folder).acquire(scope, holder(first)));
  await (await begin(folder, second)).end({ outcome: 'complete' });
  await begin(folder, first);
  expect(mine.lost()).toBe(`run ${second} began in the meantime`);
});

test('is kept by a run that goes on when a later one begins', async () => {
  const folder = new JournalFolder(emptyFolder());
  const lock = lockIn(folder);
  const [mine, other] = [
    held(await lock.acquire(scope, holder(first))),
    held(await lock.acquire(scope, holder(second))),
  ];
  await begin(folder, first);
  expect(mine.lost()).toBeUndefined();
  await begin(folder, second);
  expect(other.lost()).toBe(`run ${first} began in the meantime`);
  expect(mine.lost()).toBeUndefined();
});

test('is removed by ending the journal, and the run sends nothing more', async () => {
  const folder = new JournalFolder(emptyFolder());
  const lock = lockIn(folder);
  const writer = await begin(folder, first);
  await writer.add(request);
  const [listed] = await lock.list();
  expect(await listed?.remove()).toBe(true);
  expect(await listed?.remove()).toBe(false);
  held(await lock.acquire(scope, holder(second)));
  await expect(writer.add(request)).rejects.toThrow('another run ended it');
});

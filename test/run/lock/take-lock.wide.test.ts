/** Runs over several organizations acquire all locks or none, and never wait for each other. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lockRef } from '../../../src/past/lock/ref-lock.ts';
import { type LockRequest, takeLock } from '../../../src/past/lock/take-lock.ts';
import { realSleep } from '../../support/two-applies.ts';
import { held, holder, localLock, repository, scope, wait } from './holders.ts';

const { baseUrl } = scope;

/** A run in a repository. */
function runIn(
  root: string,
  run: string,
  organizations: readonly string[] = ['org_a'],
  more: Partial<LockRequest> = {},
): LockRequest {
  return {
    lock: { ...localLock(root), interval: 2 },
    holder: holder(run),
    scope: { organizations, baseUrl },
    timeout: 0,
    now: Date.now,
    sleep: realSleep,
    signal: new AbortController().signal,
    ...more,
  };
}

test('ends two runs that name their organizations in opposite orders', async () => {
  const root = repository();
  const orders = [
    ['org_a', 'org_b', 'org_a'],
    ['org_b', 'org_a'],
  ];
  const go = async (organizations: readonly string[], at: number) => {
    for (let count = 0; count < 5; count += 1) {
      const taken = await takeLock(runIn(root, `r-${at}-${count}`, organizations, { timeout: 60_000 }));
      if (taken.type !== 'held') throw new Error('refused');
      await wait(1);
      expect(await taken.lock.release()).toBeUndefined();
    }
  };
  await Promise.all(orders.map(go));
});

test('acquires all locks or none', async () => {
  const root = repository();
  const { lock } = runIn(root, 'r-0');
  const other = held(await lock.acquire({ baseUrl, organizations: ['org_b'] }, holder('r-0')));
  const organizations = ['org_c', 'org_b', 'org_a'];
  const taken = await takeLock(runIn(root, 'r-1', organizations));
  expect(taken).toMatchObject({ type: 'busy', organization: 'org_b', holder: { run: 'r-0' } });
  expect(await lock.list()).toMatchObject([{ content: { run: 'r-0' } }]);
  await other.release();
  expect(await takeLock(runIn(root, 'r-1', organizations))).toMatchObject({ type: 'held' });
  expect(await lock.list()).toMatchObject([{ organizations: ['org_a', 'org_b', 'org_c'] }]);
});

test('holds no other lock while it waits for one of several', async () => {
  const root = repository();
  const { lock } = runIn(root, 'r-0');
  const other = held(await lock.acquire({ baseUrl, organizations: ['org_b'] }, holder('r-0')));
  const waiting = takeLock(runIn(root, 'r-1', ['org_a', 'org_b'], { timeout: 60_000 }));
  for (let count = 0; count < 5; count += 1) {
    await wait(1);
    const free = held(await lock.acquire({ baseUrl, organizations: ['org_a'] }, holder('r-2')));
    await free.release();
  }
  await other.release();
  expect(await waiting).toMatchObject({ type: 'held' });
});

test('releases the other locks if one cannot be read', async () => {
  const root = repository();
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@b'];
  execFileSync('git', [...author, 'commit', '--allow-empty', '-qm', 'x'], { cwd: root });
  execFileSync('git', ['update-ref', lockRef('org_b', baseUrl), 'HEAD'], { cwd: root });
  await expect(takeLock(runIn(root, 'r-1', ['org_a', 'org_b']))).rejects.toThrow('holds no lock');
  const { lock } = runIn(root, 'r-2');
  held(await lock.acquire({ baseUrl, organizations: ['org_a'] }, holder('r-2')));
});

test('ends the wait on a signal without holding a lock', async () => {
  const root = repository();
  const { lock } = runIn(root, 'r-0');
  held(await lock.acquire({ baseUrl, organizations: ['org_b'] }, holder('r-0')));
  const stop = new AbortController();
  const waiting = takeLock(
    runIn(root, 'r-1', ['org_a', 'org_b'], {
      timeout: 60_000,
      signal: stop.signal,
      onWait: () => stop.abort(),
    }),
  );
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect(await lock.list()).toMatchObject([{ content: { run: 'r-0' } }]);
});

test('releases a lock that arrives after the signal', async () => {
  const root = repository();
  const stop = new AbortController();
  const request = runIn(root, 'r-1', ['org_a'], { signal: stop.signal });
  let arrived = () => {};
  const late = new Promise<void>((done) => {
    arrived = done;
  });
  const acquire: typeof request.lock.acquire = async (...args) => {
    stop.abort();
    await late;
    return request.lock.acquire(...args);
  };
  await expect(takeLock({ ...request, lock: { ...request.lock, acquire } })).rejects.toThrow();
  arrived();
  await wait(20);
  expect(await request.lock.list()).toEqual([]);
});

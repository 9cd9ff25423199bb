/** Runs over several organizations acquire all locks or none, and never wait for each other. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ciRunUrl } from '../../../src/run/lock/ci-run.ts';
import { fileLock } from '../../../src/run/lock/file-lock.ts';
import { type LockRequest, takeLock } from '../../../src/run/lock/take-lock.ts';
import { realSleep } from '../../support/two-applies.ts';
import { emptyFolder, held, holder, machine, scope, wait } from './holders.ts';

const { baseUrl } = scope;

/** A run with a lock folder. */
function runIn(
  folder: string,
  run: string,
  organizations: readonly string[] = ['org_a'],
  more: Partial<LockRequest> = {},
): LockRequest {
  return {
    lock: { ...fileLock({ folder, machine, now: Date.now }), interval: 2 },
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
  const folder = emptyFolder();
  const orders = [
    ['org_a', 'org_b', 'org_a'],
    ['org_b', 'org_a'],
  ];
  const go = async (organizations: readonly string[], at: number) => {
    for (let count = 0; count < 10; count += 1) {
      const taken = await takeLock(runIn(folder, `r-${at}-${count}`, organizations, { timeout: 60_000 }));
      if (taken.type !== 'held') throw new Error('refused');
      await wait(1);
      expect(await taken.lock.release()).toBeUndefined();
    }
  };
  await Promise.all(orders.map(go));
});

test('acquires all locks or none', async () => {
  const folder = emptyFolder();
  const { lock } = runIn(folder, 'r-0');
  const other = held(await lock.acquire({ baseUrl, organizations: ['org_b'] }, holder('r-0')));
  const organizations = ['org_c', 'org_b', 'org_a'];
  const taken = await takeLock(runIn(folder, 'r-1', organizations));
  expect(taken).toMatchObject({ type: 'busy', organization: 'org_b', holder: { run: 'r-0' } });
  expect(await lock.list()).toMatchObject([{ content: { run: 'r-0' } }]);
  await other.release();
  expect(await takeLock(runIn(folder, 'r-1', organizations))).toMatchObject({ type: 'held' });
  expect(await lock.list()).toHaveLength(3);
});

test('holds no other lock while it waits for one of several', async () => {
  const folder = emptyFolder();
  const { lock } = runIn(folder, 'r-0');
  const other = held(await lock.acquire({ baseUrl, organizations: ['org_b'] }, holder('r-0')));
  const waiting = takeLock(runIn(folder, 'r-1', ['org_a', 'org_b'], { timeout: 60_000 }));
  for (let count = 0; count < 20; count += 1) {
    await wait(1);
    const free = held(await lock.acquire({ baseUrl, organizations: ['org_a'] }, holder('r-2')));
    await free.release();
  }
  await other.release();
  expect(await waiting).toMatchObject({ type: 'held' });
});

test('releases the other locks if one file is damaged', async () => {
  const folder = emptyFolder();
  const { lock } = runIn(folder, 'r-0');
  held(await lock.acquire({ baseUrl, organizations: ['org_b'] }, holder('r-0')));
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '');
  await expect(takeLock(runIn(folder, 'r-1', ['org_a', 'org_b']))).rejects.toThrow('is damaged');
  held(await lock.acquire({ baseUrl, organizations: ['org_a'] }, holder('r-2')));
});

test('ends the wait on a signal without holding a lock', async () => {
  const folder = emptyFolder();
  const { lock } = runIn(folder, 'r-0');
  held(await lock.acquire({ baseUrl, organizations: ['org_b'] }, holder('r-0')));
  const stop = new AbortController();
  const waiting = takeLock(
    runIn(folder, 'r-1', ['org_a', 'org_b'], {
      timeout: 60_000,
      signal: stop.signal,
      onWait: () => stop.abort(),
    }),
  );
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect(await lock.list()).toMatchObject([{ content: { run: 'r-0' } }]);
});

test('releases a lock that arrives after the signal', async () => {
  const folder = emptyFolder();
  const stop = new AbortController();
  const request = runIn(folder, 'r-1', ['org_a'], { signal: stop.signal });
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

test.each([
  [
    { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'a/b', GITHUB_RUN_ID: '7' },
    'https://github.com/a/b/actions/runs/7',
  ],
  [{ CI_JOB_URL: 'https://job:secret@gitlab.acme.dev/a/-/jobs/7' }, 'https://gitlab.acme.dev/a/-/jobs/7'],
  [{ BUILD_URL: 'javascript:alert(1)' }, undefined],
  [{ BUILD_URL: 'not an address' }, undefined],
  [{ GITHUB_RUN_ID: '7' }, undefined],
  [{}, undefined],
])('names the CI job of %j', (env, url) => {
  expect(ciRunUrl(env)).toBe(url);
});

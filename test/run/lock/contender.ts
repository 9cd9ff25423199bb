/**
 * A separate process that acquires the lock of a repository repeatedly and proves each time that no other process holds it, by a
 * file that must not exist. Arguments: repository, proof, number of times, and `die` for a process that is killed while it holds
 * the lock.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { thisMachine } from '../../../src/cli/world/process-world.ts';
import { Git } from '../../../src/manifest/files/git.ts';
import { GitRepository } from '../../../src/manifest/files/git-repository.ts';
import { RefStore } from '../../../src/past/git/ref-store.ts';
import { describeMachine } from '../../../src/past/lock/machine.ts';
import { refLock } from '../../../src/past/lock/ref-lock.ts';

const [root = '', proof = '', times = '', end = ''] = process.argv.slice(2);
const machine = describeMachine(thisMachine);
const store = new RefStore(new GitRepository(new Git(process.env), root));
const lock = refLock({ store, machine, lease: 60_000, now: Date.now });
const { owner, host, process: own } = machine;
const holder = {
  format: 1,
  owner,
  host,
  process: own,
  since: new Date().toISOString(),
  run: `r-${own.pid}`,
  command: 'test',
} as const;
const scope = { organizations: ['org_acme'], baseUrl: 'https://api.acme.dev' };

for (let done = 0; done < Number(times); ) {
  const attempt = await lock.acquire(scope, holder);
  if (attempt.type === 'busy') {
    await wait(Math.random() * 2);
    continue;
  }
  writeFileSync(proof, '', { flag: 'wx' });
  if (done % 3 === 0) await wait(Math.random() * 2);
  rmSync(proof);
  done += 1;
  if (end === 'die' && done === Number(times)) process.kill(own.pid, 'SIGKILL');
  const problem = await attempt.lock.release();
  if (problem !== undefined) throw new Error(problem);
}

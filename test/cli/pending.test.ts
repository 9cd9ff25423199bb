/** A deletion that people decide on: asked for once, named until it is decided, in every checkout. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../src/server/index.ts';
import { seed } from '../support/harness.ts';
import { git } from './git.ts';
import { folder, octavo } from './octavo.ts';

const members = (...names: readonly string[]) =>
  `octavo: 1\norganization: { id: org_acme }\nsettings: { prune: unlisted, protect: ['!**'] }\nmembers:\n${names.map((name) => `  ${name}@acme.dev: {}\n`).join('')}`;

async function place() {
  const service = await startService({
    data: ':memory:',
    seed,
    faults: [{ type: 'status', status: 202, operations: ['members.delete'], times: 1 }],
  });
  onTestFinished(() => service.close());
  const outer = folder({});
  const bare = join(outer, 'remote.git');
  git(outer, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  const clone = (name: string) => {
    git(outer, 'clone', '--quiet', bare, name);
    const cwd = join(outer, name);
    const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token };
    const run = (...args: string[]) => octavo(args, { cwd, env });
    return { cwd, run };
  };
  const first = clone('first');
  const push = (text: string) => {
    writeFileSync(join(first.cwd, 'acme.yaml'), text);
    git(first.cwd, 'add', '--all');
    git(first.cwd, 'commit', '--quiet', '-m', 'A change');
    git(first.cwd, 'push', '--quiet', 'origin', 'HEAD:main');
  };
  mkdirSync(join(first.cwd, '.octavo'));
  writeFileSync(join(first.cwd, '.gitignore'), '.octavo\n');
  git(first.cwd, 'checkout', '--quiet', '-B', 'main');
  push(members('ada', 'bob', 'cyd', 'dan'));
  /** The request itself, without Octavo. */
  const decide = () =>
    fetch(`${service.url}/v1/orgs/org_acme/members/user_cyd`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${service.token}` },
    });
  return { clone, first, push, decide };
}

test.each([['--record=origin'], []])('with %j', async (...record) => {
  const { clone, first, push, decide } = await place();
  expect(await first.run('apply', '--auto-approve', ...record)).toMatchObject({ code: 0 });
  push(members('ada', 'bob', 'dan'));
  const applied = await first.run('apply', '--auto-approve', ...record);
  expect(applied).toMatchObject({ code: 0 });
  expect(applied.stdout).toMatch(/Pending:\n +members\/(?:id=user_cyd|cyd@acme\.dev) \(delete\)\n/);
  expect(applied.stdout).toContain('1 change is pending: accepted by the service, not carried out yet.');

  // A second request would be carried out by the service: the fault is over.
  const pending =
    /Pending since \d{4}-\d\d-\d\d \d\d:\d\d UTC \(run [\w-]+\): deletion of members\/(?:id=user_cyd|cyd@acme\.dev)/;
  const places = record.length > 0 ? [first, clone('second')] : [first];
  for (const { run } of places) {
    const planned = await run('plan');
    expect(planned).toMatchObject({ code: 0 });
    expect(planned.stdout.replace(/\s+/g, ' ')).toMatch(pending);
    expect(planned.stdout).not.toContain('No changes.');
    expect((await run('drift')).stdout.replace(/\s+/g, ' ')).toMatch(pending);
    const again = await run('apply', '--auto-approve', ...record);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).not.toContain('deleted');
    expect((await run('plan')).stdout.replace(/\s+/g, ' ')).toMatch(pending);
  }

  expect((await decide()).status).toBe(204);
  for (const { run } of places) {
    const planned = await run('plan');
    expect(planned.stdout).toContain('No changes. Live state matches the manifests.');
  }
});

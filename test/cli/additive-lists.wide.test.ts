/** Additive lists: accepting drift and exporting keep the `add` form, and never write entries that others added. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Seed } from '../../src/server/index.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const acme: Seed['organizations'][number] = {
  id: 'org_acme',
  title: 'Acme',
  emailDomains: ['others.dev'],
  members: ['ada', 'bob', 'cyd', 'dan'].map((name) => ({
    id: `user_${name}`,
    email: `${name}@acme.dev`,
    role: name === 'ada' ? ('admin' as const) : ('read' as const),
  })),
  teams: [
    { id: 'team_a', title: 'A' },
    { id: 'team_b', title: 'B' },
  ],
};

const manifest = `octavo: 1
organization:
  id: org_acme
  emailDomains: { add: [ acme.dev, acme.io ] } # ours
templates:
  crew: { team: { members: { add: { ada@acme.dev: owner, bob@acme.dev: member } } } }
teams:
  a:
    title: A
    members:
      add: # who is ours
        Ada@acme.dev: owner # boss
        bob@acme.dev: member
  b: { title: B, use: crew }
`;

async function setUp() {
  const { env, send } = await served({ seed: { organizations: [acme] } });
  const cwd = folder({ 'acme.yaml': manifest });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, encoding: 'utf8' });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'x');
  const run = (...args: readonly string[]) => octavo(args, { cwd, env });
  expect((await run('apply', '--auto-approve', '--lock', 'none', '--base', 'none')).code).toBe(0);
  const put = (path: string, body: object, method = 'PUT') => send(method, `orgs/org_acme${path}`, body);
  return { run, put, text: () => readFileSync(join(cwd, 'acme.yaml'), 'utf8') };
}

async function setUpDrift() {
  const one = await setUp();
  await one.put('', { emailDomains: ['others.dev', 'more.dev', 'acme.io'] }, 'PATCH');
  const memberships = { user_ada: { role: 'member' } };
  for (const team of ['team_a', 'team_b'])
    await one.put(`/teams/${team}/members`, { add: ['user_cyd'], remove: ['user_bob'], memberships });
  return one;
}

const accepted = manifest
  .replace('[ acme.dev, acme.io ]', '[ acme.io ]')
  .replace('Ada@acme.dev: owner', 'Ada@acme.dev: member')
  .replace('        bob@acme.dev: member\n', '')
  .replace(
    'b: { title: B, use: crew }',
    'b: { title: B, use: crew, members: { add: { ada@acme.dev: member, bob@acme.dev: null } } }',
  );

test('ignores entries that others added, and accepts drift only of our own', async () => {
  const { run, put, text } = await setUp();
  await put('', { emailDomains: ['others.dev', 'more.dev', 'acme.dev', 'acme.io'] }, 'PATCH');
  await put('/teams/team_a/members', { add: ['user_cyd'] });
  expect((await run('drift', '--base', 'HEAD')).stdout).toContain('No drift');
  const drifted = await setUpDrift();
  const plan = await drifted.run('drift', '--base', 'HEAD');
  expect(plan.code).toBe(2);
  expect(plan.stdout).not.toMatch(/cyd|more\.dev"? *\(/);
  const written = await drifted.run('drift', '--accept', '--base', 'HEAD');
  expect(written.stderr + written.stdout).not.toContain('cannot');
  expect(drifted.text()).toBe(accepted);
  expect((await drifted.run('plan', '--base', 'none')).stdout).toContain('No changes');
  expect(text()).toBe(manifest);
});

test('keeps "add" in an export into the manifests, and never writes it in a new export', async () => {
  const { run, text } = await setUpDrift();
  const result = await run('export', '--out', '.');
  expect(result.code).toBe(0);
  expect(text()).toContain('emailDomains: { add: [ acme.io ] } # ours');
  expect(text()).toMatch(/add: # who is ours\n {8}Ada@acme.dev: member # boss\n/);
  expect(text().replace(/^members:\n(?: .*\n)*/m, '')).not.toContain('cyd@acme.dev');
  expect((await run('plan', '--base', 'none')).stdout).toContain('No changes');
  const fresh = await run('export', '--stdout');
  expect(fresh.stdout + fresh.stderr).not.toContain('add:');
});

test('keeps an empty "add" after accepting that its last entry was removed', async () => {
  const { run, put, text } = await setUp();
  await put('', { emailDomains: ['others.dev'] }, 'PATCH');
  await put('/teams/team_a/members', { add: ['user_cyd'], remove: ['user_ada', 'user_bob'] });
  await run('drift', '--accept', '--base', 'HEAD');
  expect(text()).toContain('emailDomains: { add: [] } # ours');
  expect(text()).toMatch(/members:\n {6}add: (?:\{\} )?# who is ours(?: \{\})?\n/);
  expect((await run('plan', '--base', 'none')).stdout).toContain('No changes');
});

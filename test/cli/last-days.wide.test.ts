/** Access that ends: `until` on members of teams, grants and share links. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Step } from '../../src/plan/plan.ts';
import { seed } from '../support/harness.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo, type Ran } from './octavo.ts';
import { served } from './served.ts';

const head = 'octavo: 1\norganization: org_acme\nsettings: { protect: ["!**"] }\n';
const bob = 'bob@acme.dev: { role: member, until: 2027-01-31 }';
const partners = 'partners: { name: Partners, until: 2027-01-31 }';
const manifest = (member: string, link: string) => `${head}teams:
  docs:
    title: Docs
    members:
      ada@acme.dev: owner
      ${member}
sites:
  hub:
    title: Hub
    visibility: share-link
    shareLinks:
      press: { name: Press }
      ${link}
`;

/** Applied and recorded on 2027-01-01; `at` runs a command on another day. */
async function workspace(text = manifest(bob, partners)) {
  const { env, send } = await served({ seed });
  const cwd = folder({ 'acme.yaml': text });
  initRepository(cwd);
  const at = (day: string, ...args: readonly string[]): Promise<Ran> =>
    octavo(args, { cwd, env, now: () => Date.parse(day) });
  const write = (next: string) => {
    writeFileSync(join(cwd, 'acme.yaml'), next);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '--quiet', '--allow-empty', '--message', 'Change');
  };
  const apply = async (day: string) => {
    const applied = await at(day, 'apply', '--auto-approve', '--record=none');
    expect([applied.code, applied.stderr]).toEqual([0, expect.not.stringContaining('error')]);
    return applied;
  };
  const read = () => readFileSync(join(cwd, 'acme.yaml'), 'utf8');
  const call = (method: string, path: string, body?: object): Promise<{ items: { id: string }[] }> =>
    send(method, `orgs/org_acme/${path}`, body);
  write(text);
  await apply('2027-01-01');
  return { cwd, at, write, apply, read, call };
}

const words = (text: string) => text.replace(/\s+/g, ' ');

test('is there up to its last day, and ends after it as a change, not as drift', async () => {
  const { at, apply } = await workspace();
  expect((await at('2027-01-31T23:59:59Z', 'plan')).stdout).toContain('No changes');
  const plan = await at('2027-02-01', 'plan');
  expect(plan.stdout).toContain(
    '- sites/hub/shareLinks/partners  share link "Partners", ended on 2027-01-31\n',
  );
  expect(plan.stdout).toContain('- bob@acme.dev, ended on 2027-01-31 (member)\n');
  expect(plan.stdout).toContain('Plan: 0 to create, 1 to update, 0 to move, 0 to replace, 1 to delete.');
  const comment = (await at('2027-02-01', 'plan', '--format', 'markdown')).stdout;
  expect(comment).toContain('ended on 2027-01-31');
  const { organizations } = JSON.parse((await at('2027-02-01', 'plan', '--format', 'json')).stdout);
  expect(organizations[0].steps.map(({ cause, fields }: Step) => cause ?? fields[0]?.cause)).toEqual([
    'changed',
    'changed',
  ]);
  const rehearsed = await at('2027-02-01', 'plan', '--rehearse');
  expect(rehearsed.stdout).toContain('Cut at each of its 2 requests, the apply continues to the same state.');
  const drift = await at('2027-02-01', 'drift');
  expect(drift).toMatchObject({ code: 0, stdout: expect.stringContaining('2 ended and still live') });
  await apply('2027-02-01');
  for (const day of ['2027-02-01', '2027-02-02']) {
    expect((await at(day, 'plan')).stdout).toContain('No changes');
    expect((await at(day, 'drift')).stdout).toContain('No drift');
    expect((await at(day, 'drift')).stdout).not.toContain('ended');
  }
  const lines = async (name: string) => words((await at('2027-02-03', 'history', name)).stdout);
  expect(await lines('teams/docs.members.bob@acme.dev')).toMatch(
    /ended on 2027-01-31, was "member" run .* added with/,
  );
  expect(await lines('sites/hub/shareLinks/partners')).toMatch(/ended on 2027-01-31 run .* (?:added|oldest)/);
});

test('is drift if someone gives it again in the app', async () => {
  const { at, write, apply, read, call } = await workspace();
  await apply('2027-02-01');
  const [team] = (await call('GET', 'teams')).items;
  await call('PUT', `teams/${team?.id}/members`, { add: ['user_bob'] });
  const drift = await at('2027-02-02', 'drift');
  expect(drift.code).toBe(2);
  expect(words(drift.stdout)).toContain('bob@acme.dev, ended on 2027-01-31 (member)');
  const accepted = await at('2027-02-02', 'drift', '--accept');
  expect(words(accepted.stdout)).toContain(
    '✗ teams/docs members bob@acme.dev is still in it, and ended on 2027-01-31 (acme.yaml:8:7) → apply first, then accept again',
  );
  write(read());
  await apply('2027-02-03');
  expect((await at('2027-02-03', 'drift', '--accept')).code).toBe(0);
});

test('is written out of the manifests by drift --accept, and then removed as before', async () => {
  const { at, write, read } = await workspace();
  const before = await at('2027-02-01', 'plan', '--format', 'json');
  expect((await at('2027-02-01', 'drift', '--accept')).code).toBe(0);
  expect(read()).toBe(manifest('', '').replaceAll(/^ +\n/gm, ''));
  write(read());
  const after = await at('2027-02-01', 'plan', '--format', 'json');
  const digestOf = ({ stdout }: Ran) => JSON.parse(stdout).digest;
  expect(digestOf(after)).toBe(digestOf(before));
});

test('keeps its last day when another role is accepted', async () => {
  const { at, read, call } = await workspace();
  const [team] = (await call('GET', 'teams')).items;
  await call('PUT', `teams/${team?.id}/members/user_bob`, { role: 'owner' });
  expect((await at('2027-01-02', 'drift', '--accept')).code).toBe(0);
  expect(read()).toBe(manifest(bob.replace('role: member', 'role: owner'), partners));
});

test('a plan that a midnight has made false is refused', async () => {
  const { at, write, apply } = await workspace();
  write(manifest(bob.replace('2027-01-31', '2027-03-01'), partners));
  await apply('2027-01-02');
  write(
    `${manifest(bob.replace('2027-01-31', '2027-03-01'), partners)}  faq: { title: FAQ, visibility: public }\n`,
  );
  const { digest } = JSON.parse(
    (await at('2027-01-31', 'plan', '--out', 'saved.json', '--format', 'json')).stdout,
  );
  const saved = await at('2027-02-01', 'apply', 'saved.json');
  expect(saved.code).toBe(1);
  expect(words(saved.stderr)).toContain(
    'nothing was applied: sites/hub/shareLinks/partners ended on 2027-01-31, after the plan was made',
  );
  const expected = await at('2027-02-01', 'apply', '--approved', digest);
  expect(expected).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the plan is not the expected one'),
  });
  // Later days do not matter while nothing ends.
  expect((await at('2027-01-31T12:00:00Z', 'apply', 'saved.json')).code).toBe(0);
});

test('a changed last day is shown, and needs no request', async () => {
  const { at, write } = await workspace();
  write(manifest(bob.replace('2027-01-31', '2027-03-01'), partners.replace(', until: 2027-01-31', '')));
  const plan = await at('2027-01-02', 'plan');
  expect(plan.stdout).toContain('last day of members.bob@acme.dev of teams/docs: 2027-01-31 → 2027-03-01');
  expect(plan.stdout).toContain('last day of sites/hub/shareLinks/partners: 2027-01-31 → (none)');
  expect(plan.stdout).toContain('No changes');
});

test('an undo gives it back, and the next apply takes it again', async () => {
  const { at, apply } = await workspace();
  await apply('2027-02-01');
  expect((await at('2027-02-01', 'undo', '--auto-approve')).stdout).toContain('1 created, 1 updated');
  expect((await at('2027-02-01', 'plan')).stdout).toContain('bob@acme.dev, ended on 2027-01-31 (member)');
});

test('a saved undo is applied, whatever has ended since', async () => {
  const { at } = await workspace();
  expect((await at('2027-01-02', 'undo', '--out', 'undo.json')).code).toBe(0);
  expect(await at('2027-02-05', 'apply', 'undo.json')).toMatchObject({ code: 0 });
});

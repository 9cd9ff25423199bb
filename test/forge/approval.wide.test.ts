/** Approvals: what the plan of a pull request does is kept where its author cannot write, and found for the merge alone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, manifest, octavo } from '../cli/octavo.ts';
import { type FakeGithub, startGithub } from '../support/forge/github.ts';

const head = 'a'.repeat(40);
const merge = 'b'.repeat(40);

async function setup() {
  const fake = await startGithub();
  const cwd = folder({
    'docs/acme.yaml': manifest,
    'event.json': JSON.stringify({ pull_request: { number: 12, head: { sha: head } } }),
  });
  const plan = await octavo(['plan', '-f', 'docs', '--base-url', 'local', '--format', 'json'], { cwd });
  writeFileSync(join(cwd, 'plan.json'), plan.stdout);
  const save = (args: readonly string[] = [], env: Record<string, string> = {}) =>
    octavo(['approval', 'save', 'plan.json', ...args], {
      cwd,
      env: { ...fake.env, GITHUB_EVENT_PATH: join(cwd, 'event.json'), ...env },
    });
  const find = (args: readonly string[] = [], env: Record<string, string> = {}) =>
    octavo(['approval', 'find', ...args], {
      cwd,
      env: { ...fake.env, GITHUB_REF: 'refs/heads/main', GITHUB_SHA: merge, ...env },
    });
  const { approval, digest } = JSON.parse(plan.stdout) as { approval: string; digest: string };
  return { fake, cwd, save, find, approval, digest };
}

function mergePull(fake: FakeGithub, { number = 12, ref = 'main', sha = head, commit = merge } = {}) {
  const merged_at = '2026-11-22T06:00:00Z';
  fake.pulls.push({ number, merged_at, merge_commit_sha: commit, base: { ref }, head: { sha } });
}

test('a plan is kept as a check run of its commit, and found after the merge', async () => {
  const { fake, save, find, approval, digest, cwd } = await setup();
  const saved = await save();
  expect(saved).toMatchObject({ code: 0, stderr: '' });
  expect(saved.stdout).toMatch(
    new RegExp(`^Plan ${digest.slice(0, 16)} kept for aaaaaaaaaaaa: https://github.com/`),
  );
  expect(fake.checks).toMatchObject([
    {
      name: 'octavo plan',
      head_sha: head,
      conclusion: 'success',
      external_id: `12:${digest}`,
      output: { title: '3 changes', text: expect.stringContaining(approval) },
    },
  ]);
  mergePull(fake);
  const found = await find();
  expect(found).toEqual({
    code: 0,
    stdout: `${approval}\n`,
    stderr: 'Approved by the merge of pull request 12, planned at aaaaaaaaaaaa\n',
  });
  const applied = await octavo(
    ['apply', '-f', 'docs', '--base-url', 'local', '--auto-approve', '--approved', found.stdout.trim()],
    { cwd },
  );
  expect(applied.code).toBe(0);
});

test('what nobody approved is not found', async () => {
  const { fake, save, find } = await setup();
  await save();
  const fails = async (env?: Record<string, string>) => {
    const ran = await find([], env);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    return ran.stderr;
  };
  // A push without a pull request.
  expect(await fails()).toContain(
    'error[no-approval]: no merged pull request brought bbbbbbbbbbbb into main',
  );
  // Another branch, another commit, one that is still open.
  mergePull(fake, { ref: 'release' });
  mergePull(fake, { commit: 'c'.repeat(40), sha: merge });
  fake.pulls.push({
    number: 14,
    merged_at: null,
    merge_commit_sha: merge,
    base: { ref: 'main' },
    head: { sha: head },
  });
  expect(await fails()).toContain('no merged pull request');
  // The last commit was never planned.
  mergePull(fake, { number: 15, sha: 'd'.repeat(40) });
  expect(await fails()).toContain(
    'no plan of dddddddddddd, the last commit of pull request 15, was kept by\n    github-actions',
  );
  mergePull(fake);
  expect(await fails()).toContain('more than one pull request brought bbbbbbbbbbbb');
});

test('a check run of somebody else, of another pull request or another key is no approval', async () => {
  const { fake, save, find } = await setup();
  mergePull(fake);
  await save(['--pull', '13']);
  await save(['--key', 'production']);
  await save();
  const forged = fake.checks.at(-1);
  if (forged !== undefined) forged.app = { slug: 'mallorys-app' };
  expect((await find()).stderr).toContain('no plan of aaaaaaaaaaaa');
  expect((await find(['--app', 'mallorys-app'])).code).toBe(0);
  expect((await find(['--key', 'production'])).code).toBe(0);
});

test('the last plan counts: one with refused changes takes the approval back', async () => {
  const { fake, cwd, save, find, digest } = await setup();
  mergePull(fake);
  await save();
  const plan = JSON.parse(
    (await octavo(['plan', '-f', 'docs', '--base-url', 'local', '--format', 'json'], { cwd })).stdout,
  );
  plan.organizations[0].refusals = [{ guard: 'protection', address: 'sites/x', message: 'no', steps: [] }];
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
  expect((await save()).code).toBe(0);
  expect(fake.checks.at(-1)).toMatchObject({ conclusion: 'failure', output: { title: '1 change refused' } });
  expect(fake.checks.at(-1)?.output.text).toBeUndefined();
  expect((await find()).stderr).toContain('cannot be applied: 1 change refused');
  plan.organizations[0].refusals[0].skipped = true;
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
  await save();
  expect((await find()).stdout).toContain(digest);
});

test('an approval that is too long for a check run is kept as its digest', async () => {
  const { fake, cwd, save, find, digest } = await setup();
  mergePull(fake);
  const plan = JSON.parse(
    (await octavo(['plan', '-f', 'docs', '--base-url', 'local', '--format', 'json'], { cwd })).stdout,
  );
  plan.approval = `${digest}.${'abcdefghijkl'.repeat(6000)}`;
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
  expect((await save()).code).toBe(0);
  expect((await find()).stdout).toBe(`${digest}\n`);
});

test('what is no plan, and what is missing, is said', async () => {
  const { fake, cwd, save, find, digest } = await setup();
  const fails = async (text: string) => {
    writeFileSync(join(cwd, 'plan.json'), text);
    return (await save()).stderr;
  };
  const plan = { format: 1, digest, approval: `${digest}.`, counts: {}, organizations: [] };
  expect(await fails('{')).toContain('plan.json is not a plan: it is not JSON');
  expect(await fails('{}')).toContain('plan.json is not a plan: it has another form');
  expect(await fails(JSON.stringify({ ...plan, approval: `${'0'.repeat(64)}.` }))).toContain(
    'belongs to another plan',
  );
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
  expect((await save([], { GITHUB_EVENT_PATH: '' })).stderr).toContain('which commit?');
  expect((await save(['--commit', 'main'])).stderr).toContain('"main" is not a commit');
  expect((await find([], { GITHUB_SHA: '' })).stderr).toContain('which commit?');
  const none = await octavo(['approval'], { cwd, env: fake.env });
  expect(none.stderr).toContain('octavo approval needs a word: save, with a plan, or find');
  const gitlab = { CI_PROJECT_ID: '7', GITLAB_TOKEN: 'glpat' };
  expect((await octavo(['approval', 'find', '--commit', merge], { cwd, env: gitlab })).stderr).toContain(
    'GitLab has no check runs to keep a plan in',
  );
  expect(fake.log).toEqual([]);
});

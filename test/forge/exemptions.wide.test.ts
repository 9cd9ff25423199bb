/** Labels and approvals that lift rules, with author and reason, and others that must not. */
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { git, initRepository } from '../cli/git.ts';
import { folder, octavo } from '../cli/octavo.ts';
import { startGithub } from '../support/forge/github.ts';
import { startGitlab } from '../support/forge/gitlab.ts';

const head = 'a'.repeat(40);
const manifest = (title: string) =>
  `octavo: 1\norganization: { id: org_acme, title: Acme }\nteams: { a: { title: ${title} } }\n`;
const rules = (exempt: string) =>
  `rules: { frozen: { when: { kind: team }, message: teams are frozen, exempt: ${exempt} } }\n`;
const byLabel = rules('{ label: thaw }');
const byTeam = rules('{ team: acme/security }');

/** A team that a pull request renames, and the rules of its base. */
async function setup(text: string) {
  const cwd = folder({ 'docs/acme.yaml': manifest('A'), 'octavo.rules.yaml': text });
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'base');
  const env = { OCTAVO_BASE_URL: `local:${join(folder({}), 'acme.db')}` };
  rmSync(join(cwd, 'octavo.rules.yaml'));
  await octavo(['apply', '-f', 'docs', '--base', 'none', '--auto-approve'], { cwd, env });
  git(cwd, 'checkout', '--quiet', '.');
  writeFileSync(join(cwd, 'docs/acme.yaml'), manifest('B'));
  const run = (more: Readonly<Record<string, string>>, words: readonly string[] = ['plan']) =>
    octavo([...words, '-f', 'docs', '--base', 'HEAD'], { cwd, env: { ...env, ...more } });
  return { cwd, run };
}

const labeled = (login: string | null, name = 'thaw') => ({
  event: 'labeled',
  label: { name },
  actor: login === null ? null : { login },
});

test('a label lifts a rule, and the plan names who added it', async () => {
  const github = await startGithub();
  const { run } = await setup(byLabel);
  expect((await run(github.onPull())).code).toBe(3);
  github.review.labels.push('docs', 'thaw');
  github.review.events.push(labeled('eve', 'docs'), labeled('ada'));
  const { code, stdout } = await run(github.onPull());
  expect(code).toBe(0);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'Rules 1 is lifted: frozen frozen is lifted by ada, label thaw on pull request 12: teams are frozen (teams/a)',
  );
  expect(stdout).not.toContain(github.token);
  const json = JSON.parse((await run(github.onPull(), ['plan', '--format', 'json'])).stdout) as {
    organizations: { findings: unknown }[];
  };
  expect(json.organizations[0]?.findings).toEqual([
    {
      rule: 'frozen',
      address: 'teams/a',
      message: 'teams are frozen',
      lifted: { by: 'ada', why: 'label thaw on pull request 12' },
    },
  ]);
  const applied = await run(github.onPull(), ['apply', '--auto-approve']);
  expect(applied.code, applied.stderr).toBe(0);
});

test('a label that was removed, or without a known author, lifts no rule', async () => {
  const github = await startGithub();
  const { run } = await setup(byLabel);
  github.review.events.push(labeled('ada'));
  expect((await run(github.onPull())).code).toBe(3);
  github.review.labels.push('thaw');
  github.review.events.length = 0;
  expect((await run(github.onPull())).code).toBe(3);
  github.review.events.push(labeled(null));
  expect((await run(github.onPull())).code).toBe(3);
});

test('an approval of the last commit by a team member lifts a rule, and other reviews do not', async () => {
  const github = await startGithub();
  const { run } = await setup(byTeam);
  const { reviews, members } = github.review;
  const review = (login: string, state: string, commit = head) =>
    reviews.push({ state, user: { login }, commit_id: commit });
  members.add('acme/security/ada');
  review('eve', 'APPROVED');
  review('ada', 'APPROVED', 'c'.repeat(40));
  expect((await run(github.onPull())).code).toBe(3);
  review('ada', 'APPROVED');
  review('ada', 'COMMENTED');
  const { code, stdout } = await run(github.onPull());
  expect(code).toBe(0);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'is lifted by ada, approval of pull request 12 for acme/security',
  );
  for (const state of ['CHANGES_REQUESTED', 'DISMISSED']) {
    review('ada', state);
    expect((await run(github.onPull())).code, state).toBe(3);
    review('ada', 'APPROVED');
  }
  github.review.head = 'd'.repeat(40);
  expect((await run(github.onPull())).code).toBe(3);
});

test('labels of the pull request lift a rule after its merge', async () => {
  const github = await startGithub();
  const { run } = await setup(byLabel);
  const merge = 'b'.repeat(40);
  const push = github.onPush(merge);
  github.review.labels.push('thaw');
  github.review.events.push(labeled('ada'));
  expect((await run(push)).code).toBe(3);
  const merged_at = '2026-11-22T06:00:00Z';
  github.pulls.push({
    number: 12,
    merged_at,
    merge_commit_sha: merge,
    base: { ref: 'main' },
    head: { sha: head },
  });
  expect((await run(push)).code).toBe(0);
});

test('a forge that rejects requests, or a missing token, lifts no rule and is reported', async () => {
  const github = await startGithub();
  const { run } = await setup(byLabel);
  github.review.labels.push('thaw');
  github.review.events.push(labeled('ada'));
  github.fail({ on: /pulls\/12/, how: { status: 403, body: { message: 'Resource not accessible' } } });
  const refused = await run(github.onPull());
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('Cannot read what lifts rules: ');
  const { GITHUB_TOKEN: _token, ...without } = github.onPull();
  const silent = await run(without);
  expect(silent.code).toBe(3);
  expect(silent.stderr).toContain('GITHUB_TOKEN');
  const outside = await run({});
  expect(outside.code).toBe(3);
  expect(outside.stderr).not.toContain('What lifts rules');
});

test('rules without exemptions send no request to the forge', async () => {
  const github = await startGithub();
  const { run } = await setup('rules: { frozen: { when: { kind: team }, message: no } }\n');
  expect((await run(github.onPull())).code).toBe(3);
  expect(github.log).toEqual([]);
});

test('labels and approvals of group members lift rules on GitLab', async () => {
  const gitlab = await startGitlab();
  const { run } = await setup(byLabel);
  const add = (username: string, name: string, action = 'add') =>
    gitlab.review.events.push({ action, label: { name }, user: { username } });
  add('eve', 'docs');
  add('eve', 'thaw', 'remove');
  gitlab.review.labels.push('thaw');
  expect((await run(gitlab.env)).code).toBe(3);
  add('ada', 'thaw');
  const { code, stdout } = await run(gitlab.env);
  expect(code).toBe(0);
  expect(stdout.replace(/\s+/g, ' ')).toContain('is lifted by ada, label thaw on merge request 7');
  const team = await setup(byTeam);
  gitlab.review.approvedBy.push('bob', 'ada');
  gitlab.review.members.push({ username: 'cleo', state: 'active' }, { username: 'bob', state: 'blocked' });
  expect((await team.run(gitlab.env)).code).toBe(3);
  gitlab.review.members.push({ username: 'ada', state: 'active' });
  const approved = await team.run(gitlab.env);
  expect(approved.code).toBe(0);
  expect(approved.stdout.replace(/\s+/g, ' ')).toContain(
    'is lifted by ada, approval of merge request 7 for acme/security',
  );
});

test('each token is sent only to its own host, despite redirects', async () => {
  const received = { forge: '', service: '' };
  const tokens = { forge: 'glpat-of-the-forge-0123', service: 'token-of-the-service-0123' };
  const listen = async (name: 'forge' | 'service', redirect: () => string) => {
    const server = createServer((request, response) => {
      received[name] += JSON.stringify([request.method, request.url, request.rawHeaders]);
      response.writeHead(307, { location: `${redirect()}${request.url}` }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const urls: Record<'forge' | 'service', string> = { forge: '', service: '' };
  urls.forge = await listen('forge', () => urls.service);
  urls.service = await listen('service', () => urls.forge);
  const { run } = await setup(byLabel);
  const env = { OCTAVO_BASE_URL: urls.service, OCTAVO_TOKEN: tokens.service };
  const pulls = await Promise.all([startGithub(), startGitlab()]);
  const github = { ...pulls[0].onPull(), GITHUB_TOKEN: tokens.forge };
  const gitlab = { ...pulls[1].env, GITLAB_TOKEN: tokens.forge };
  for (const words of [['plan'], ['apply', '--auto-approve']]) {
    await run({ ...env, ...github, GITHUB_API_URL: urls.forge }, words);
    await run({ ...env, ...gitlab, CI_API_V4_URL: `${urls.forge}/api/v4` }, words);
  }
  expect(received.forge).toContain(tokens.forge);
  expect(received.service).toContain(tokens.service);
  expect(received.forge).not.toContain(tokens.service);
  expect(received.service).not.toContain(tokens.forge);
});

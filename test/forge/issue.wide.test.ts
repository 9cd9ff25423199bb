/** The issue about drift: one is open while there is drift, and closed once there is none. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, octavo } from '../cli/octavo.ts';
import { startGithub } from '../support/forge/github.ts';
import { startGitlab } from '../support/forge/gitlab.ts';

const marked = (body: string, key = 'drift') => `<!-- octavo:${key} -->\n${body}`;
const sha = '0123456789'.repeat(4);
/** When it was closed comes first, before what it said last. */
const ended = (body: string) =>
  new RegExp(
    `^<!-- octavo:drift -->\\n\\*\\*No drift since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC \\(commit \`0123456789\`\\)\\.\\*\\*\\n\\n${body}$`,
  );
const open = ['issue', '--title', 'Drift in Acme', '--body', 'drift.md'];

test('on GitHub it is opened, updated and closed, and opened again', async () => {
  const fake = await startGithub();
  const cwd = folder({ 'drift.md': '1 team renamed' });
  const issue = (args: readonly string[] = open) =>
    octavo(args, { cwd, env: { ...fake.env, GITHUB_SHA: sha } });
  for (let count = 0; count < 4; count += 1) fake.post(fake.issues, 'ada', 'a wish', `Wish ${count}`);
  const forged = fake.post(fake.issues, 'mallory', marked('forged'), 'Drift in Acme');
  expect((await issue(['issue', '--close'])).stdout).toBe('No issue to close.\n');
  fake.fail({ on: /POST .*\/issues$/, how: 'lost' });
  const created = await issue();
  expect(created.stdout).toMatch(/^Issue created: https:\/\/github\.com\/acme\/docs\/issues\/\d+\n$/);
  const made = fake.issues.at(-1);
  expect(made).toMatchObject({ title: 'Drift in Acme', body: marked('1 team renamed'), state: 'open' });
  expect(fake.issues).toHaveLength(6);
  expect((await issue()).stdout).toMatch(/^Issue unchanged/);
  writeFileSync(join(cwd, 'drift.md'), '2 teams renamed');
  expect((await issue()).stdout).toMatch(/^Issue updated/);
  expect(made?.body).toBe(marked('2 teams renamed'));
  expect((await issue(['issue', '--close'])).stdout).toBe(created.stdout.replace('created', 'closed'));
  expect(made).toMatchObject({ state: 'closed', reason: 'completed' });
  expect(made?.body).toMatch(ended('2 teams renamed'));
  expect(forged).toMatchObject({ body: marked('forged'), state: 'open' });
  expect((await issue()).stdout).toMatch(/^Issue created/);
  expect(fake.issues).toHaveLength(7);
});

test('of several that are open on GitHub, the newest stays', async () => {
  const fake = await startGithub();
  const cwd = folder({ 'drift.md': 'drift' });
  const issues = ['one', 'two'].map((body) =>
    fake.post(fake.issues, 'github-actions', marked(body), 'Drift in Acme'),
  );
  const other = fake.post(fake.issues, 'github-actions', marked('other', 'drift-eu'), 'Drift in Acme EU');
  const ran = await octavo(open, { cwd, env: fake.env });
  expect(ran.stdout).toMatch(/^Issue updated \(1 older issue folded\)/);
  expect(issues.map(({ state, reason }) => [state, reason])).toEqual([
    ['closed', 'not_planned'],
    ['open', undefined],
  ]);
  expect(other.state).toBe('open');
});

test('on GitLab as well', async () => {
  const fake = await startGitlab();
  const cwd = folder({ 'drift.md': '1 team renamed' });
  const issue = (args: readonly string[] = open) =>
    octavo(args, { cwd, env: { ...fake.env, CI_COMMIT_SHA: sha } });
  for (let count = 0; count < 3; count += 1) fake.note(fake.issues, 41, 'another', `Task ${count}`);
  fake.note(fake.issues, 5, marked('forged'), 'Drift in Acme');
  fake.fail({ on: /POST .*\/issues$/, how: 'lost' });
  const created = await issue();
  expect(created.stdout).toBe('Issue created: https://gitlab.com/acme/docs/-/issues/905\n');
  writeFileSync(join(cwd, 'drift.md'), '2 teams renamed');
  expect((await issue()).stdout).toMatch(/^Issue updated/);
  expect(fake.issues.at(-1)).toMatchObject({ body: marked('2 teams renamed'), state: 'opened' });
  expect((await issue(['issue', '--close'])).stdout).toMatch(/^Issue closed/);
  expect(fake.issues.at(-1)?.body).toMatch(ended('2 teams renamed'));
  expect(fake.issues.map(({ state }) => state)).toEqual(['opened', 'opened', 'opened', 'opened', 'closed']);
});

test('it needs a title, or --close alone', async () => {
  const fake = await startGithub();
  const cwd = folder({ 'drift.md': 'drift' });
  const fails = async (...args: string[]) =>
    (await octavo(['issue', ...args], { cwd, env: fake.env })).stderr;
  expect(await fails('--body', 'drift.md')).toContain('octavo issue needs --title');
  expect(await fails('--body', 'drift.md', '--title', 'x'.repeat(256))).toContain('up to 255 characters');
  expect(await fails('--close', '--body', 'drift.md')).toContain('--close takes no body');
  expect(fake.log).toEqual([]);
});
